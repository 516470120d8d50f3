#include "benchmarks/mpi/meeting.hpp"

#include <mpi.h>
#include <sched.h>

#include "benchmarks/rma/window.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe {
namespace {

constexpr double kDelaySeconds = 2e-3;

}  // namespace

// How many ranks have entered, counted in the memory of one rank. A count that has been added is
// there for whoever asks from then on, whatever clocks and messages do.
class Meeting::Census {
 public:
  Census(int rank, int host, MPI_Comm communicator)
      : host_(host),
        window_(Window::Kind::kAllocate, rank == host ? sizeof(std::int64_t) : 0, communicator) {
    if (rank == host) *reinterpret_cast<std::int64_t*>(window_.memory()) = 0;
    MPI_REQUIRE(MPI_Win_lock(MPI_LOCK_SHARED, host, 0, window_.handle()));
  }
  ~Census() { MPI_REQUIRE(MPI_Win_unlock(host_, window_.handle())); }

  void enter() { add(1); }
  std::int64_t entered() { return add(0); }

 private:
  // Returns what was there before.
  std::int64_t add(std::int64_t number) {
    std::int64_t before = 0;
    MPI_REQUIRE(
        MPI_Fetch_and_op(&number, &before, MPI_INT64_T, host_, 0, MPI_SUM, window_.handle()));
    MPI_REQUIRE(MPI_Win_flush(host_, window_.handle()));
    return before;
  }

  int host_;
  Window window_;
};

Meeting::Meeting(World& world) : world_(world) {}
Meeting::~Meeting() = default;

void Meeting::enter() {
  if (world_.rank() == late_rank_) {
    while (census_->entered() < world_.size() - 1) sched_yield();
    const double end = world_.now() + kDelaySeconds;
    while (!world_.simulated() && world_.now() < end) sched_yield();
    if (world_.simulated()) world_.wait_until(end);
  }
  census_->enter();
}

void Meeting::count() { found_ = census_->entered(); }

void Meeting::fill(std::uint64_t seed) {
  late_rank_ = static_cast<int>(seed % static_cast<std::uint64_t>(world_.size()));
  // The late rank does not keep the census: its library answers nobody while it idles.
  const int host = (late_rank_ + 1) % world_.size();
  census_ = std::make_unique<Census>(world_.rank(), host, benchmark_communicator());
  found_ = 0;
}

std::size_t Meeting::wrong_bytes() {
  census_.reset();
  return found_ == world_.size() ? 0 : sizeof found_;
}

}  // namespace leadline::probe
