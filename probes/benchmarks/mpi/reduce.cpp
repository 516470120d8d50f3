// One rank gets the sum of all ranks' vectors of doubles: time until the last rank is done, by size
// and algorithm.
#include "algorithms/collectives/reduce/reduce.hpp"

#include <mpi.h>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

// MPICH 4.0.2 ends there with a segmentation fault: from 2 KiB on it reduces by halves, and then
// takes MPI_IN_PLACE for a buffer where the root is not rank 0.
void refuse_what_crashes(const Point& point, int root) {
#if defined(MPICH_NUMVERSION) && !defined(I_MPI_VERSION) && MPICH_NUMVERSION < 40100000
  if (point.choice("algorithm") == "library" && in_place(point) && root != 0 &&
      point.bytes() > 2048) {
    throw Unavailable("this MPICH crashes where a root other than rank 0 reduces in place");
  }
#else
  static_cast<void>(point);
  static_cast<void>(root);
#endif
}

Operation prepare(const Point& point) {
  const int root = root_of(point);
  refuse_what_crashes(point, root);
  const bool is_root = point.world().rank() == root;
  const auto data = summed(point, is_root ? point.world().size() : 0, is_root && in_place(point));
  const auto call = [reduce = chosen_algorithm<coll::Reduce>(point, MPI_Reduce),
                     count = doubles(point), root,
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(reduce(out, in, count, MPI_DOUBLE, MPI_SUM, root, communicator));
  };
  return collective(point, data, Extent::kOne, call);
}

Benchmark declare() {
  using enum Guideline::Term::Size;
  return {
      .name = "mpi/reduce",
      .title = "MPI_Reduce",
      .summary =
          "time of MPI_Reduce of doubles with MPI_SUM, until the last rank is done; the bandwidth "
          "is that of one rank's vector, however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's vector of doubles",
                          sizeof(double)),
               algorithm_axis<coll::Reduce>(), buffers_axis(), root_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/allreduce"}}},
                     {{{"mpi/reduce_scatter_block", kOverProcesses},
                       {"mpi/gather", kOverProcesses}}}},
  };
}

const Registration reduce{declare};

}  // namespace
}  // namespace leadline::probe
