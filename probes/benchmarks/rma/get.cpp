// Rank 0 gets bytes from rank 1's memory: time by size, by the way in which the two synchronise,
// and by the kind of window.
#include <mpi.h>

#include "benchmarks/rma/synchronisation.hpp"
#include "benchmarks/rma/transfer.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

void issue(std::byte* buffer, int bytes, MPI_Aint displacement, MPI_Win window) {
  MPI_REQUIRE(MPI_Get(buffer, bytes, MPI_BYTE, OneSidedTransfer::kTarget, displacement, bytes,
                      MPI_BYTE, window));
}

void fill_destination(std::byte* buffer, std::size_t bytes, std::uint64_t seed) {
  fill_content(buffer, bytes, ~seed);
}

void fill_source(std::byte* memory, std::size_t bytes, std::uint64_t seed) {
  fill_content(memory, bytes, seed);
}

// At both ends: the source must have stayed as it was.
std::size_t wrong(const std::byte* data, std::size_t bytes, std::uint64_t seed) {
  return wrong_content(data, bytes, seed);
}

Operation prepare(const Point& point) {
  return transfer_operation(point, {.issue = issue,
                                    .fill_origin = fill_destination,
                                    .fill_target = fill_source,
                                    .wrong_at_origin = wrong,
                                    .wrong_at_target = wrong});
}

const Registration get{{
    .name = "rma/get",
    .title = "MPI_Get",
    .summary = "time of an MPI_Get by rank 0 from rank 1's window with its synchronisation",
    .axes = {bytes_axis("1:4M:x2"),
             synchronisation_axis("MPI_Get", {"flush", "fence", "pscw", "lock"}), window_axis()},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2, .maximum = 2},
    .series =
        {{"origin",
          "from before the first of these calls to after the last on rank 0, which stops the "
          "clock; by then the data are in its buffer; lock is MPI_LOCK_SHARED"},
         {"target",
          "fence and pscw only: from before the first of the target's calls to after the last on "
          "rank 1, which stops the clock; by then it may change its window again"}},
    .start = Start::kBackToBack,
    .prepare = prepare,
    .headlines = {{Headline::Of::kTime, "MPI_Get"}},
}};

}  // namespace
}  // namespace leadline::probe
