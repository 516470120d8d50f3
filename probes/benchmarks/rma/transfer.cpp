#include "benchmarks/rma/transfer.hpp"

#include <memory>

#include "benchmarks/rma/synchronisation.hpp"
#include "benchmarks/rma/window.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe {
namespace {

// One rank's side. The buffer's bytes matter on the origin, the window's on the target; both ranks
// step alike, so the origin knows where in the window the target looks.
class Side {
 public:
  Side(const Point& point, const OneSidedTransfer& transfer)
      : transfer_(transfer),
        rank_(point.world().rank()),
        bytes_(point.bytes()),
        buffer_(point.buffer(is_origin() ? bytes_ : 0)),
        slots_(bytes_, point.cold()),
        window_(window_kind(point), is_origin() ? 0 : slots_.area_bytes(),
                benchmark_communicator()),
        synchronisation_(synchronisation_of(point, window_.handle(),
                                            {.rank = rank_,
                                             .origin = OneSidedTransfer::kOrigin,
                                             .target = OneSidedTransfer::kTarget,
                                             .lock_type = transfer.lock_type})) {}

  bool is_origin() const { return rank_ == OneSidedTransfer::kOrigin; }
  bool timed() const { return is_origin() || synchronisation_->target_takes_part(); }

  void call() {
    last_ = slots_.offset();
    if (is_origin()) {
      last_buffer_ = buffer_.data();
      synchronisation_->open();
      transfer_.issue(last_buffer_, static_cast<int>(bytes_), static_cast<MPI_Aint>(last_),
                      window_.handle());
      synchronisation_->close();
      buffer_.step();
    } else {
      synchronisation_->expose();
    }
    slots_.step();
  }
  void fill(std::uint64_t seed) {
    if (is_origin()) transfer_.fill_origin(buffer_.data(), bytes_, seed);
    synchronisation_->begin_access();
    if (!is_origin()) transfer_.fill_target(window_.memory() + slots_.offset(), bytes_, seed);
    synchronisation_->end_access();
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    if (is_origin()) {
      const std::size_t wrong = transfer_.wrong_at_origin(last_buffer_, bytes_, seed);
      synchronisation_->begin_access();
      synchronisation_->end_access();
      return wrong;
    }
    synchronisation_->begin_access();
    const std::size_t wrong = transfer_.wrong_at_target(window_.memory() + last_, bytes_, seed);
    synchronisation_->end_access();
    return wrong;
  }

 private:
  OneSidedTransfer transfer_;
  int rank_;
  std::size_t bytes_;
  Buffer buffer_;
  Slots slots_;
  Window window_;
  std::unique_ptr<Synchronisation> synchronisation_;  // ends before its window is freed
  std::byte* last_buffer_ = nullptr;
  std::size_t last_ = 0;
};

}  // namespace

Operation transfer_operation(const Point& point, const OneSidedTransfer& transfer) {
  const auto side = std::make_shared<Side>(point, transfer);
  const int rank = point.world().rank();
  Operation operation = operation_of(point, side);
  operation.series = !side->timed()      ? kNotTimed
                     : side->is_origin() ? OneSidedTransfer::kOriginTime
                                         : OneSidedTransfer::kTargetTime;
  operation.peer = 1 - rank;
  return operation;
}

}  // namespace leadline::probe
