#include "benchmarks/mpi/overlap.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "benchmarks/mpi/computation.hpp"
#include "comm/mpi_world.hpp"
#include "harness/coordinate.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

// A computation with progress=test is interrupted after every so many-th of it.
constexpr int kSlices = 16;

// How the length of the communication is found before the computation is made as long.
constexpr int kWarmUps = 2;
constexpr std::size_t kRounds = 9;
constexpr double kLongestSeconds = 0.2;

// A transfer with its requests.
class Communication {
 public:
  explicit Communication(Transfer transfer)
      : transfer_(std::move(transfer)),
        requests_(static_cast<std::size_t>(transfer_.requests), MPI_REQUEST_NULL) {}

  void start() {
    transfer_.start(requests_.data());
    done_ = 0;
  }
  void test() {
    if (done_ == 0) {
      MPI_REQUIRE(MPI_Testall(transfer_.requests, requests_.data(), &done_, MPI_STATUSES_IGNORE));
    }
  }
  void wait() {
    MPI_REQUIRE(MPI_Waitall(transfer_.requests, requests_.data(), MPI_STATUSES_IGNORE));
    if (transfer_.ended) transfer_.ended();
  }
  void fill(std::uint64_t seed) const { transfer_.fill(seed); }
  std::size_t wrong_bytes(std::uint64_t seed) const { return transfer_.wrong_bytes(seed); }

 private:
  Transfer transfer_;
  std::vector<MPI_Request> requests_;
  int done_ = 0;
};

// The median over some rounds of the time on the slowest rank; the same on all ranks.
double communication_seconds(World& world, Communication& communication) {
  std::vector<double> seconds;
  double total = 0.0;
  for (int round = -kWarmUps; seconds.size() < kRounds; ++round) {
    barrier(world);
    const double begin = world.now();
    communication.start();
    communication.wait();
    const double spent = agree(world, world.now() - begin, take_maximum<double>);
    if (round < 0) continue;
    seconds.push_back(spent);
    total += spent;
    if (total > kLongestSeconds) break;
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

class Overlap {
 public:
  Overlap(const Point& point, const std::function<Transfer()>& prepare, bool compute)
      : alone_(prepare()), beside_(prepare()), test_(point.choice("progress") == "test") {
    const double seconds = communication_seconds(point.world(), alone_);
    if (!compute) return;
    const double slices = seconds / (seconds_per_step(point.world()) * kSlices);
    steps_per_slice_ = static_cast<std::uint64_t>(std::max(1.0, slices));
  }

  void communicate() {
    alone_.start();
    alone_.wait();
  }
  void compute() { computation_.run(kSlices * steps_per_slice_); }
  void together() {
    beside_.start();
    if (test_ && steps_per_slice_ > 0) {
      for (int slice = 0; slice < kSlices; ++slice) {
        computation_.run(steps_per_slice_);
        beside_.test();
      }
    } else {
      compute();
    }
    beside_.wait();
  }
  void fill(std::uint64_t seed) {
    alone_.fill(2 * seed);
    beside_.fill(2 * seed + 1);
    computation_.begin(seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    return alone_.wrong_bytes(2 * seed) + beside_.wrong_bytes(2 * seed + 1) +
           computation_.wrong_bytes(std::uint64_t{2} * kSlices * steps_per_slice_);
  }

 private:
  Communication alone_;
  Communication beside_;
  bool test_;
  Computation computation_;
  std::uint64_t steps_per_slice_ = 0;
};

}  // namespace

Axis progress_axis() {
  return choice_axis("progress",
                     "what the computation does for the communication: nothing, or 16 calls of "
                     "MPI_Testall at equal distances, the last one at its end",
                     {"none", "test"});
}

std::vector<Series> overlap_series() {
  return {
      {"communication",
       "from the common start to the end of the wait, nothing between the start of the "
       "communication and the wait; the last rank stops the clock"},
      {"computation",
       "from the common start to the end of the computation, a chain of integer operations made as "
       "long as the communication; the last rank stops the clock"},
      {"together",
       "from the common start to the end of the wait, the computation between the start of the "
       "communication and the wait; the last rank stops the clock"},
  };
}

Operation overlapped(const Point& point, const std::function<Transfer()>& prepare, bool compute) {
  require_real("messages move however the processor is kept busy: overlap is not told");
  const auto overlap = std::make_shared<Overlap>(point, prepare, compute);
  const auto series = [&](int index) { return compute ? index : kNotTimed; };
  Operation operation = operation_of(overlap);
  operation.call = [overlap] { overlap->communicate(); };
  operation.series = series(0);
  operation.then = {{[overlap] { overlap->compute(); }, series(1)},
                    {[overlap] { overlap->together(); }, series(2)}};
  return operation;
}

}  // namespace leadline::probe
