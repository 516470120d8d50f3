// All ranks meet: time until the last of them may go on, by algorithm.
#include "algorithms/barrier/barrier.hpp"

#include <mpi.h>
#include <sched.h>

#include <cstdint>
#include <memory>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/rma/window.hpp"
#include "harness/benchmark.hpp"
#include "worlds/mpi_world.hpp"

namespace leadline {
namespace {

constexpr double kDelaySeconds = 2e-3;

// How many ranks have entered, counted in the memory of one rank. A count that has been added is
// there for whoever asks from then on, whatever clocks and messages do.
class Census {
 public:
  Census(int rank, int host, MPI_Comm communicator)
      : host_(host),
        window_(Window::Kind::kAllocate, rank == host ? sizeof(std::int64_t) : 0, communicator) {
    if (rank == host) *reinterpret_cast<std::int64_t*>(window_.memory()) = 0;
    MPI_REQUIRE(MPI_Win_lock_all(0, window_.handle()));
  }
  ~Census() { MPI_REQUIRE(MPI_Win_unlock_all(window_.handle())); }

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

// The call that is verified has one rank come late, another one for each verification. Every rank
// adds itself to the census before the barrier and reads it after: a rank that leaves before the
// late one has entered finds one missing. A right barrier can never fail this; a wrong one that
// waits for the late rank alone, or whose ranks happen to come together, can pass.
class Meeting {
 public:
  explicit Meeting(const Point& point)
      : world_(point.world()), barrier_(chosen_algorithm<Barrier>(point, MPI_Barrier)) {}

  void call() {
    if (census_) {
      census_call();
    } else {
      wait_for_all();
    }
  }
  void fill(std::uint64_t seed) {
    late_rank_ = static_cast<int>(seed % static_cast<std::uint64_t>(world_.size()));
    // The late rank does not keep the census: its library answers nobody while it idles.
    const int host = (late_rank_ + 1) % world_.size();
    census_ = std::make_unique<Census>(world_.rank(), host, benchmark_communicator());
    found_ = 0;
  }
  std::size_t wrong_bytes() {
    census_.reset();
    return found_ == world_.size() ? 0 : sizeof found_;
  }

 private:
  void wait_for_all() { MPI_REQUIRE(barrier_(communicator_)); }
  void census_call() {
    if (world_.rank() == late_rank_) {
      const double end = world_.now() + kDelaySeconds;
      while (world_.now() < end) sched_yield();
    }
    census_->enter();
    wait_for_all();
    found_ = census_->entered();
  }

  World& world_;
  Barrier::Function* barrier_;
  MPI_Comm communicator_ = benchmark_communicator();
  // Only between fill and wrong_bytes: no window lives while a barrier is timed.
  std::unique_ptr<Census> census_;
  int late_rank_ = 0;
  std::int64_t found_ = 0;
};

Operation prepare(const Point& point) {
  const auto meeting = std::make_shared<Meeting>(point);
  Operation operation;
  operation.call = [meeting] { meeting->call(); };
  operation.fill = [meeting](std::uint64_t seed) { meeting->fill(seed); };
  operation.wrong_bytes = [meeting](std::uint64_t) { return meeting->wrong_bytes(); };
  return operation;
}

Benchmark declare() {
  return {
      .name = "mpi/barrier",
      .summary = "time of MPI_Barrier",
      .axes = {algorithm_axis<Barrier>()},
      .processes = {},
      .series = {{"completion",
                  "from the common start to the return of the call on each rank; the last rank "
                  "stops the clock"}},
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration barrier{declare};

}  // namespace
}  // namespace leadline
