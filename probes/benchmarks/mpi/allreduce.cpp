// All ranks add up vectors of doubles: time until the last of them has the sum, by size and
// algorithm.
#include "algorithms/collectives/allreduce/allreduce.hpp"

#include <mpi.h>

#include <bit>

#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

// Of a hypercube of p = 2^n processes: what one of them sends in a step, and what all of them send
// (M. Pester: CHiC als CLiC-Nachfolger, Chemnitz 2007).
std::map<std::string, double> flow(std::size_t bytes, int processes) {
  const auto corners = static_cast<unsigned>(processes);
  if (!std::has_single_bit(corners)) return {};
  const double packet = static_cast<double>(bytes) / (1U << 20U);
  const int steps = std::countr_zero(corners);
  return {{"packet_MiB", packet}, {"flow_MiB", steps * corners * packet}};
}

Operation prepare(const Point& point) {
  const int size = point.world().size();
  const auto call = [allreduce = chosen_algorithm<coll::Allreduce>(point, MPI_Allreduce),
                     count = doubles(point),
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, communicator));
  };
  Operation operation = collective(point, summed(point, size, in_place(point)), Extent::kOne, call);
  operation.metrics = [bytes = point.bytes(), size] { return flow(bytes, size); };
  return operation;
}

Benchmark declare() {
  using enum Guideline::Term::Size;
  return {
      .name = "mpi/allreduce",
      .title = "MPI_Allreduce",
      .summary =
          "time of MPI_Allreduce of doubles with MPI_SUM; the bandwidth is the algorithm "
          "bandwidth: bytes of one rank's vector over the time, however many bytes travel",
      .axes = {bytes_axis("8,64,512,4K,32K,256K,1M", "size of each rank's vector of doubles",
                          sizeof(double)),
               algorithm_axis<coll::Allreduce>(), buffers_axis()},
      .sizes = kCollectiveSizes,
      .processes = {},
      .series = completion(),
      .start = Start::kAgreed,
      .prepare = prepare,
      .guidelines = {{{{"mpi/reduce"}, {"mpi/bcast"}}},
                     {{{"mpi/reduce_scatter_block", kOverProcesses},
                       {"mpi/allgather", kOverProcesses}}}},
  };
}

const Registration allreduce{declare};

}  // namespace
}  // namespace leadline::probe
