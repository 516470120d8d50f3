// Rank 0 puts bytes into rank 1's memory, or gets them from there: time by size, by the way in
// which the two synchronise, and by the kind of window.
#include <mpi.h>

#include "benchmarks/rma/synchronisation.hpp"
#include "benchmarks/rma/transfer.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

void issue_put(std::byte* buffer, int bytes, MPI_Aint displacement, MPI_Win window) {
  MPI_REQUIRE(MPI_Put(buffer, bytes, MPI_BYTE, OneSidedTransfer::kTarget, displacement, bytes,
                      MPI_BYTE, window));
}

void issue_get(std::byte* buffer, int bytes, MPI_Aint displacement, MPI_Win window) {
  MPI_REQUIRE(MPI_Get(buffer, bytes, MPI_BYTE, OneSidedTransfer::kTarget, displacement, bytes,
                      MPI_BYTE, window));
}

void fill_source(std::byte* data, std::size_t bytes, std::uint64_t seed) {
  fill_content(data, bytes, seed);
}

void fill_destination(std::byte* data, std::size_t bytes, std::uint64_t seed) {
  fill_content(data, bytes, ~seed);
}

// At both ends: the source must have stayed as it was.
std::size_t wrong(const std::byte* data, std::size_t bytes, std::uint64_t seed) {
  return wrong_content(data, bytes, seed);
}

Operation prepare_put(const Point& point) {
  return transfer_operation(point, {.issue = issue_put,
                                    .fill_origin = fill_source,
                                    .fill_target = fill_destination,
                                    .wrong_at_origin = wrong,
                                    .wrong_at_target = wrong,
                                    .lock_type = MPI_LOCK_EXCLUSIVE});
}

Operation prepare_get(const Point& point) {
  return transfer_operation(point, {.issue = issue_get,
                                    .fill_origin = fill_destination,
                                    .fill_target = fill_source,
                                    .wrong_at_origin = wrong,
                                    .wrong_at_target = wrong});
}

// Of the call of that name: what both have in common is added.
Benchmark of_two_ranks(const char* call, Benchmark own) {
  own.title = call;
  own.axes = {bytes_axis("1:4M:x2"), synchronisation_axis(call, {"flush", "fence", "pscw", "lock"}),
              window_axis()};
  own.sizes = kMessageSizes;
  own.processes = {.minimum = 2, .maximum = 2};
  own.headlines = {{Headline::Of::kTime, call}};
  return own;
}

const Registration put{of_two_ranks(
    "MPI_Put",
    {.name = "rma/put",
     .summary = "time of an MPI_Put from rank 0 into rank 1's window with its synchronisation",
     .series =
         {{"origin",
           "from before the first of these calls to after the last on rank 0, which stops the "
           "clock; by then the data are in the target's memory (flush, lock), the epoch is over "
           "(fence), or the origin may reuse its buffer (pscw)",
           {"synchronisation"}},
          {"target",
           "fence and pscw only: from before the first of the target's calls to after the last on "
           "rank 1, which stops the clock; by then the data are in its memory and may be read"}},
     .prepare = prepare_put,
     .delivery = Delivery{Delivery::Sides::kOneSided, "target"}})};
const Registration get{of_two_ranks(
    "MPI_Get",
    {.name = "rma/get",
     .summary = "time of an MPI_Get by rank 0 from rank 1's window with its synchronisation",
     .series =
         {{"origin",
           "from before the first of these calls to after the last on rank 0, which stops the "
           "clock; by then the data are in its buffer; lock is MPI_LOCK_SHARED"},
          {"target",
           "fence and pscw only: from before the first of the target's calls to after the last on "
           "rank 1, which stops the clock; by then it may change its window again"}},
     .prepare = prepare_get})};

}  // namespace
}  // namespace leadline::probe
