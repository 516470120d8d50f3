// Rank 0 accumulates doubles in rank 1's memory: time by size, by what is done with them, by the
// way in which the two synchronise, and by the kind of window.
#include <mpi.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "benchmarks/rma/synchronisation.hpp"
#include "benchmarks/rma/transfer.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

// Whole numbers below 2^32: sums of two are exact.
double element(std::uint64_t seed, std::size_t index) {
  return static_cast<double>(content_word(seed, index) >> 32);
}

void fill_elements(std::byte* data, std::size_t bytes, std::uint64_t seed) {
  for (std::size_t i = 0; i < bytes / sizeof(double); ++i) {
    const double value = element(seed, i);
    std::memcpy(data + i * sizeof value, &value, sizeof value);
  }
}

void fill_origin(std::byte* buffer, std::size_t bytes, std::uint64_t seed) {
  fill_elements(buffer, bytes, seed);
}

void fill_target(std::byte* memory, std::size_t bytes, std::uint64_t seed) {
  fill_elements(memory, bytes, ~seed);
}

template <typename Right>
std::size_t wrong_elements(const std::byte* data, std::size_t bytes, Right right) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < bytes / sizeof(double); ++i) {
    const double value = right(i);
    const auto* expected = reinterpret_cast<const std::byte*>(&value);
    for (std::size_t byte = 0; byte < sizeof value; ++byte) {
      wrong += data[i * sizeof value + byte] != expected[byte] ? 1 : 0;
    }
  }
  return wrong;
}

std::size_t wrong_as_sent(const std::byte* data, std::size_t bytes, std::uint64_t seed) {
  return wrong_elements(data, bytes, [&](std::size_t i) { return element(seed, i); });
}

std::size_t wrong_sum(const std::byte* data, std::size_t bytes, std::uint64_t seed) {
  return wrong_elements(data, bytes,
                        [&](std::size_t i) { return element(seed, i) + element(~seed, i); });
}

void accumulate(std::byte* buffer, int bytes, MPI_Aint displacement, MPI_Op operation,
                MPI_Win window) {
  const int count = bytes / static_cast<int>(sizeof(double));
  MPI_REQUIRE(MPI_Accumulate(buffer, count, MPI_DOUBLE, OneSidedTransfer::kTarget, displacement,
                             count, MPI_DOUBLE, operation, window));
}

void issue_sum(std::byte* buffer, int bytes, MPI_Aint displacement, MPI_Win window) {
  accumulate(buffer, bytes, displacement, MPI_SUM, window);
}

void issue_replace(std::byte* buffer, int bytes, MPI_Aint displacement, MPI_Win window) {
  accumulate(buffer, bytes, displacement, MPI_REPLACE, window);
}

Operation prepare(const Point& point) {
  const bool sum = point.choice("operation") == "sum";
  return transfer_operation(point, {.issue = sum ? issue_sum : issue_replace,
                                    .fill_origin = fill_origin,
                                    .fill_target = fill_target,
                                    .wrong_at_origin = wrong_as_sent,
                                    .wrong_at_target = sum ? wrong_sum : wrong_as_sent});
}

const Registration registration{{
    .name = "rma/accumulate",
    .title = "MPI_Accumulate",
    .summary = "time of an MPI_Accumulate of doubles from rank 0 into rank 1's window with its "
               "synchronisation",
    .axes = {bytes_axis("8:4M:x2", "size of the vector of doubles", sizeof(double)),
             task_axis("operation", "sum: MPI_SUM; replace: MPI_REPLACE, an atomic put",
                       {"sum", "replace"}),
             synchronisation_axis("MPI_Accumulate", {"flush", "fence", "pscw", "lock"}),
             window_axis()},
    .sizes = {.join = true, .split = true},
    .processes = {.minimum = 2, .maximum = 2},
    .series =
        {{"origin",
          "from before the first of these calls to after the last on rank 0, which stops the "
          "clock; by then the target's memory is changed (flush, lock), the epoch is over "
          "(fence), or the origin may reuse its buffer (pscw); lock is MPI_LOCK_SHARED",
          {"synchronisation"}},
         {"target",
          "fence and pscw only: from before the first of the target's calls to after the last on "
          "rank 1, which stops the clock; by then its memory is changed and may be read"}},
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
