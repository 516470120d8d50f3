// Two ranks bounce a message with puts alone: the data, then a flag that says they have come. The
// time of one way until the target knows, to be compared with messages.
#include <mpi.h>

#include <atomic>
#include <memory>

#include "benchmarks/rma/synchronisation.hpp"
#include "benchmarks/rma/window.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

using Flag = std::uint64_t;
constexpr std::size_t kLine = 64;
// A library may move data only while it is called: after so many looks in vain it is.
constexpr int kLooks = 100;

// The window holds the data, in slots, and behind them the flag on a cache line of its own.
class Ball {
 public:
  explicit Ball(const Point& point)
      : bytes_(static_cast<int>(point.bytes())),
        rank_(point.world().rank()),
        source_(point.buffer(point.bytes())),
        slots_(point.bytes(), point.cold()),
        flag_offset_((slots_.area_bytes() + kLine - 1) / kLine * kLine),
        window_(window_kind(point), flag_offset_ + kLine, benchmark_communicator()) {
    require_unified_memory();
    MPI_REQUIRE(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_.handle()));
    *flag() = 0;
    MPI_REQUIRE(MPI_Win_sync(window_.handle()));
    MPI_REQUIRE(MPI_Barrier(benchmark_communicator()));
  }
  ~Ball() { MPI_REQUIRE(MPI_Win_unlock_all(window_.handle())); }
  Ball(const Ball&) = delete;
  Ball& operator=(const Ball&) = delete;

  int peer() const { return 1 - rank_; }

  void call() {
    ++turn_;
    if (rank_ == 0) send();
    receive();
    if (rank_ != 0) send();
    last_ = slots_.offset();
    slots_.step();
  }
  void fill(std::uint64_t seed) {
    fill_content(source_.data(), source_.bytes(), own_seed(seed, rank_));
    fill_content(window_.memory() + slots_.offset(), source_.bytes(), ~seed);
    MPI_REQUIRE(MPI_Win_sync(window_.handle()));
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    MPI_REQUIRE(MPI_Win_sync(window_.handle()));
    return wrong_content(window_.memory() + last_, source_.bytes(), own_seed(seed, peer()));
  }

 private:
  // Each side's bytes differ, so that an answer which was never sent cannot look right.
  static std::uint64_t own_seed(std::uint64_t seed, int rank) {
    return 2 * seed + static_cast<std::uint64_t>(rank);
  }
  Flag* flag() { return reinterpret_cast<Flag*>(window_.memory() + flag_offset_); }

  void send() {
    put(source_.data(), bytes_, slots_.offset());
    // The flag says nothing of data that are put with it: only a flush in between orders them.
    put(&turn_, sizeof turn_, flag_offset_);
    source_.step();
  }
  void put(const void* data, int bytes, std::size_t offset) {
    MPI_REQUIRE(MPI_Put(data, bytes, MPI_BYTE, peer(), static_cast<MPI_Aint>(offset), bytes,
                        MPI_BYTE, window_.handle()));
    MPI_REQUIRE(MPI_Win_flush(peer(), window_.handle()));
  }
  void receive() {
    const std::atomic_ref<Flag> flag_now(*flag());
    for (int looks = 1; flag_now.load(std::memory_order_acquire) != turn_; ++looks) {
      if (looks % kLooks == 0) call_library();
    }
    MPI_REQUIRE(MPI_Win_sync(window_.handle()));
  }
  void call_library() {
    int found = 0;
    MPI_REQUIRE(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, benchmark_communicator(), &found,
                           MPI_STATUS_IGNORE));
    MPI_REQUIRE(MPI_Win_sync(window_.handle()));
  }
  // Where the window has a public copy of its own, a look at memory never sees a put.
  void require_unified_memory() {
    int* model = nullptr;
    int found = 0;
    MPI_REQUIRE(MPI_Win_get_attr(window_.handle(), MPI_WIN_MODEL, &model, &found));
    if (found == 0 || *model != MPI_WIN_UNIFIED) {
      throw Unavailable("this library's windows are not of the unified memory model");
    }
  }

  int bytes_;
  int rank_;
  Buffer source_;
  Slots slots_;
  std::size_t flag_offset_;
  Window window_;
  Flag turn_ = 0;
  std::size_t last_ = 0;
};

Operation prepare(const Point& point) {
  require_real("no put comes while a rank looks at its memory");
  const auto ball = std::make_shared<Ball>(point);
  Operation operation = operation_of(point, ball);
  operation.series = point.world().rank() == 0 ? 0 : kNotTimed;
  operation.peer = ball->peer();
  operation.operations_per_call = 2;
  return operation;
}

const Registration pingpong{{
    .name = "rma/pingpong",
    .title = "One-sided ping-pong",
    .summary = "one-way time of a put between two ranks until the target has seen its flag",
    .axes = {bytes_axis("1:4M:x2"), window_axis()},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2, .maximum = 2},
    .series = {{"one-way",
                "half of a round trip on rank 0, which stops the clock; each way is MPI_Put, "
                "MPI_Win_flush, MPI_Put of a flag, MPI_Win_flush, and the other rank looks at the "
                "flag in its memory until it has come"}},
    .prepare = prepare,
    .delivery = Delivery{Delivery::Sides::kOneSided, "one-way"},
}};

}  // namespace
}  // namespace leadline::probe
