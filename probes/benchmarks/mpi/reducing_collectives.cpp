// Vectors of doubles are summed over ranks: time until the last rank has its part of the sum, by
// size and algorithm.
#include <mpi.h>

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/exscan/exscan.hpp"
#include "algorithms/collectives/reduce/reduce.hpp"
#include "algorithms/collectives/reduce_scatter/reduce_scatter.hpp"
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"
#include "algorithms/collectives/scan/scan.hpp"
#include "benchmarks/mpi/algorithm_axis.hpp"
#include "benchmarks/mpi/collective.hpp"

namespace leadline::probe {
namespace {

using enum Guideline::Term::Size;

Axis vector_axis() {
  return bytes_axis(kCollectiveValues, "size of each rank's vector of doubles", sizeof(double));
}

Axis block_axis() {
  return bytes_axis(kCollectiveValues, "size of the block that each rank gets", sizeof(double));
}

// MPICH 4.0.2 ends there with a segmentation fault: from 2 KiB on it reduces by halves, and then
// takes MPI_IN_PLACE for a buffer where the root is not rank 0.
void refuse_what_crashes(const Point& point, int root) {
  if (point.choice("algorithm") != "library" || !in_place(point) || root == 0 ||
      point.bytes() <= 2048) {
    return;
  }
  const auto mpich = library_release("MPICH Version:");
  if (mpich && *mpich < std::pair(4, 1)) {
    throw Unavailable("this MPICH crashes where a root other than rank 0 reduces in place");
  }
}

Operation prepare_reduce(const Point& point) {
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

// Of those that every rank calls alike, with one count.
template <typename Collective>
Operation prepare(const Point& point, typename Collective::Function* library,
                  const SharedData& data, Extent extent) {
  const auto call = [function = chosen_algorithm<Collective>(point, library),
                     count = doubles(point),
                     communicator = benchmark_communicator()](const void* out, void* in) {
    MPI_REQUIRE(function(out, in, count, MPI_DOUBLE, MPI_SUM, communicator));
  };
  return collective(point, data, extent, call);
}

// Of a hypercube of p = 2^n processes: what one of them sends in a step, and what all of them send
// (M. Pester: CHiC als CLiC-Nachfolger, Chemnitz 2007).
std::map<std::string, double> flow(std::size_t bytes, int processes) {
  const auto corners = static_cast<unsigned>(processes);
  if (!std::has_single_bit(corners)) return {};
  const double packet = static_cast<double>(bytes) / (1U << 20U);
  const int steps = std::countr_zero(corners);
  return {{"packet_MiB", packet}, {"flow_MiB", steps * corners * packet}};
}

Operation prepare_allreduce(const Point& point) {
  const int size = point.world().size();
  Operation operation = prepare<coll::Allreduce>(
      point, MPI_Allreduce, summed(point, size, in_place(point)), Extent::kOne);
  operation.metrics = [bytes = point.bytes(), size] { return flow(bytes, size); };
  return operation;
}

Operation prepare_scan(const Point& point) {
  const auto data = summed(point, point.world().rank() + 1, in_place(point));
  return prepare<coll::Scan>(point, MPI_Scan, data, Extent::kOne);
}

Operation prepare_exscan(const Point& point) {
  const auto data = summed(point, point.world().rank(), in_place(point));
  return prepare<coll::Exscan>(point, MPI_Exscan, data, Extent::kOne);
}

// Each rank gets one block of the sum.
SharedData scattered(const Point& point) {
  const auto block = static_cast<std::size_t>(doubles(point));
  return summed(point,
                {.elements = static_cast<std::size_t>(point.world().size()) * block,
                 .first = static_cast<std::size_t>(point.world().rank()) * block,
                 .result_elements = block,
                 .ranks = point.world().size()},
                in_place(point));
}

Operation prepare_reduce_scatter_block(const Point& point) {
  return prepare<coll::ReduceScatterBlock>(point, MPI_Reduce_scatter_block, scattered(point),
                                           Extent::kProcesses);
}

// All counts are equal.
Operation prepare_reduce_scatter(const Point& point) {
  const auto size = static_cast<std::size_t>(point.world().size());
  const auto call = [scatter = chosen_algorithm<coll::ReduceScatter>(point, MPI_Reduce_scatter),
                     communicator = benchmark_communicator(),
                     counts = std::vector<int>(size, doubles(point))](const void* out, void* in) {
    MPI_REQUIRE(scatter(out, in, counts.data(), MPI_DOUBLE, MPI_SUM, communicator));
  };
  return collective(point, scattered(point), Extent::kProcesses, call);
}

const Registration reduce{[] {
  return blocking({
      .name = "mpi/reduce",
      .title = "MPI_Reduce",
      .summary =
          "time of MPI_Reduce of doubles with MPI_SUM, until the last rank is done; the bandwidth "
          "is that of one rank's vector, however many bytes travel",
      .axes = {vector_axis(), algorithm_axis<coll::Reduce>(), buffers_axis(), root_axis()},
      .prepare = prepare_reduce,
      .guidelines = {{{{"mpi/allreduce"}}},
                     {{{"mpi/reduce_scatter_block", kOverProcesses},
                       {"mpi/gather", kOverProcesses}}}},
  });
}};
const Registration allreduce{[] {
  return blocking({
      .name = "mpi/allreduce",
      .title = "MPI_Allreduce",
      .summary = "time of MPI_Allreduce of doubles with MPI_SUM; the bandwidth is the algorithm "
                 "bandwidth: bytes of one rank's vector over the time, however many bytes travel",
      .axes = {vector_axis(), algorithm_axis<coll::Allreduce>(), buffers_axis()},
      .prepare = prepare_allreduce,
      .guidelines = {{{{"mpi/reduce"}, {"mpi/bcast"}}},
                     {{{"mpi/reduce_scatter_block", kOverProcesses},
                       {"mpi/allgather", kOverProcesses}}}},
  });
}};
const Registration scan{[] {
  return blocking({
      .name = "mpi/scan",
      .title = "MPI_Scan",
      .summary =
          "time of MPI_Scan of doubles with MPI_SUM, each rank with the sum of the ranks up to its "
          "own; the bandwidth is that of one rank's vector, however many bytes travel",
      .axes = {vector_axis(), algorithm_axis<coll::Scan>(), buffers_axis()},
      .prepare = prepare_scan,
      .guidelines = {{{{"mpi/exscan"}, {"mpi/reduce_local"}}}},
  });
}};
const Registration exscan{[] {
  return blocking({
      .name = "mpi/exscan",
      .title = "MPI_Exscan",
      .summary =
          "time of MPI_Exscan of doubles with MPI_SUM, each rank with the sum of the ranks before "
          "it; the bandwidth is that of one rank's vector, however many bytes travel",
      .axes = {vector_axis(), algorithm_axis<coll::Exscan>(), buffers_axis()},
      .prepare = prepare_exscan,
  });
}};
const Registration reduce_scatter_block{[] {
  return blocking({
      .name = "mpi/reduce_scatter_block",
      .title = "MPI_Reduce_scatter_block",
      .summary =
          "time of MPI_Reduce_scatter_block of doubles with MPI_SUM; the bandwidth is that of one "
          "rank's vector, P blocks, however many bytes travel",
      .axes = {block_axis(), algorithm_axis<coll::ReduceScatterBlock>(), buffers_axis()},
      .prepare = prepare_reduce_scatter_block,
      .guidelines = {{{{"mpi/reduce", kTimesProcesses}, {"mpi/scatter"}}},
                     {{{"mpi/allreduce", kTimesProcesses}}}},
  });
}};
const Registration reduce_scatter{[] {
  return blocking({
      .name = "mpi/reduce_scatter",
      .title = "MPI_Reduce_scatter",
      .summary = "time of MPI_Reduce_scatter of doubles with MPI_SUM; the bandwidth is that of one "
                 "rank's vector, P blocks, however many bytes travel",
      .axes = {block_axis(), algorithm_axis<coll::ReduceScatter>(), buffers_axis()},
      .prepare = prepare_reduce_scatter,
      .guidelines = {{{{"mpi/reduce_scatter_block"}}}},
  });
}};

}  // namespace
}  // namespace leadline::probe
