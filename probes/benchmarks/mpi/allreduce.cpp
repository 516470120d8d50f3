// All ranks add up vectors of doubles: time until the last of them has the sum, by size and
// algorithm.
#include "algorithms/allreduce/allreduce.hpp"

#include <mpi.h>

#include <climits>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "worlds/mpi_world.hpp"

namespace leadline {
namespace {

// A whole number below 2^32 for every rank and element. What a rank contributes is the difference
// of its successor's and its own, so the sum over ranks 0 to P-1 is known without adding anything
// up: milestone(P) - milestone(0). A rank that is left out or counted twice shows. Every partial
// sum is a whole number below 2^53 for up to 2^20 ranks: exact in any order.
double milestone(std::uint64_t seed, int rank, std::size_t element) {
  return static_cast<double>(
      content_word(content_word(seed, static_cast<std::uint64_t>(rank)), element) >> 32);
}

struct Addition {
  Allreduce::Function* allreduce;
  Buffer contribution;
  Buffer sum;
  std::byte* last_sum;
  std::size_t elements;
  int rank;
  int size;
  MPI_Comm communicator;

  void call() {
    last_sum = sum.data();
    MPI_REQUIRE(allreduce(contribution.data(), last_sum, static_cast<int>(elements), MPI_DOUBLE,
                          MPI_SUM, communicator));
    contribution.step();
    sum.step();
  }
  void fill(std::uint64_t seed) {
    auto* values = reinterpret_cast<double*>(contribution.data());
    for (std::size_t i = 0; i < elements; ++i) {
      values[i] = milestone(seed, rank + 1, i) - milestone(seed, rank, i);
    }
    fill_content(sum.data(), sum.bytes(), ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < elements; ++i) {
      const double right = milestone(seed, size, i) - milestone(seed, 0, i);
      const std::byte* found = last_sum + i * sizeof right;
      if (std::memcmp(found, &right, sizeof right) == 0) continue;
      const auto* expected = reinterpret_cast<const std::byte*>(&right);
      for (std::size_t byte = 0; byte < sizeof right; ++byte) {
        wrong += found[byte] != expected[byte] ? 1 : 0;
      }
    }
    return wrong;
  }
};

Operation prepare(const Point& point) {
  const std::size_t bytes = point.bytes();
  const auto addition = std::make_shared<Addition>(Addition{
      .allreduce = chosen_algorithm<Allreduce>(point, MPI_Allreduce),
      .contribution = point.buffer(bytes),
      .sum = point.buffer(bytes),
      .last_sum = nullptr,
      .elements = bytes / sizeof(double),
      .rank = point.world().rank(),
      .size = point.world().size(),
      .communicator = benchmark_communicator(),
  });
  Operation operation;
  operation.call = [addition] { addition->call(); };
  operation.fill = [addition](std::uint64_t seed) { addition->fill(seed); };
  operation.wrong_bytes = [addition](std::uint64_t seed) { return addition->wrong_bytes(seed); };
  operation.bytes = bytes;
  operation.moved_bytes = static_cast<double>(bytes);
  return operation;
}

Benchmark declare() {
  return {
      .name = "mpi/allreduce",
      .summary =
          "time of MPI_Allreduce of doubles with MPI_SUM; the bandwidth is the algorithm "
          "bandwidth: bytes of one rank's vector over the time, however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's vector of doubles",
                          sizeof(double)),
               algorithm_axis<Allreduce>()},
      .processes = {},
      .series = {{"completion",
                  "from the common start to the return of the call on each rank; the last rank "
                  "stops the clock"}},
      .start = Start::kAgreed,
      .prepare = prepare,
  };
}

const Registration allreduce{declare};

}  // namespace
}  // namespace leadline
