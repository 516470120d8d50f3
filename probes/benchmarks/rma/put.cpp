// Rank 0 puts bytes into rank 1's memory: time by size, by the way in which the two synchronise,
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
  MPI_REQUIRE(MPI_Put(buffer, bytes, MPI_BYTE, OneSidedTransfer::kTarget, displacement, bytes,
                      MPI_BYTE, window));
}

void fill_source(std::byte* buffer, std::size_t bytes, std::uint64_t seed) {
  fill_content(buffer, bytes, seed);
}

void fill_destination(std::byte* memory, std::size_t bytes, std::uint64_t seed) {
  fill_content(memory, bytes, ~seed);
}

// At both ends: the source must have stayed as it was.
std::size_t wrong(const std::byte* data, std::size_t bytes, std::uint64_t seed) {
  return wrong_content(data, bytes, seed);
}

Operation prepare(const Point& point) {
  return transfer_operation(point, {.issue = issue,
                                    .fill_origin = fill_source,
                                    .fill_target = fill_destination,
                                    .wrong_at_origin = wrong,
                                    .wrong_at_target = wrong,
                                    .lock_type = MPI_LOCK_EXCLUSIVE});
}

const Registration put{{
    .name = "rma/put",
    .title = "MPI_Put",
    .summary = "time of an MPI_Put from rank 0 into rank 1's window with its synchronisation",
    .axes = {bytes_axis("1:4M:x2"),
             synchronisation_axis("MPI_Put", {"flush", "fence", "pscw", "lock"}), window_axis()},
    .sizes = kMessageSizes,
    .processes = {.minimum = 2, .maximum = 2},
    .series =
        {{"origin",
          "from before the first of these calls to after the last on rank 0, which stops the "
          "clock; by then the data are in the target's memory (flush, lock), the epoch is over "
          "(fence), or the origin may reuse its buffer (pscw)",
          {"synchronisation"}},
         {"target",
          "fence and pscw only: from before the first of the target's calls to after the last on "
          "rank 1, which stops the clock; by then the data are in its memory and may be read"}},
    .start = Start::kBackToBack,
    .prepare = prepare,
    .delivery = Delivery{Delivery::Sides::kOneSided, "target"},
    .headlines = {{Headline::Of::kTime, "MPI_Put"}},
}};

}  // namespace
}  // namespace leadline::probe
