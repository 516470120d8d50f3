// Along each dimension of a hypercube a rank gives away half of what it has and reduces the other
// half: log2(P) steps, and where blocks are alike (P-1)/P of the data in and out of each rank.
//
// Going from near ranks to far ones keeps the order of any operation, but leaves to each corner the
// part whose position is the corner's number with its bits reversed, so blocks are put in that
// order first. Where P is no power of two, ranks that stand for a pair take all operands of the
// other before, and send it its block after. Data that MPI's int cannot count are left to the
// pairwise exchange.
#include <memory>
#include <new>

#include "algorithms/collectives/hypercube.hpp"
#include "algorithms/collectives/scattering.hpp"

namespace leadline::coll {
namespace {

int count_of(const Hypercube& cube, const BlockCounts& counts, int corner) {
  const int first = cube.first_rank(corner);
  return static_cast<int>(counts.first(first + cube.ranks(corner)) - counts.first(first));
}

// Where the blocks of each corner begin once they are in the order of positions, in elements.
std::unique_ptr<int[]> firsts_of(const Hypercube& cube, const BlockCounts& counts) {
  std::unique_ptr<int[]> firsts(
      new (std::nothrow) int[static_cast<std::size_t>(cube.corners()) + 1]);
  if (firsts == nullptr) return firsts;
  firsts[0] = 0;
  for (int position = 0; position < cube.corners(); ++position) {
    // Reversing twice gives the corner again.
    firsts[position + 1] = firsts[position] + count_of(cube, counts, cube.position(position));
  }
  return firsts;
}

int permute_blocks(const Hypercube& cube, const int* firsts, const ScatteringCall& call,
                   const void* from, void* to) {
  for (int corner = 0; corner < cube.corners(); ++corner) {
    Elements blocks;
    RETURN_IF_FAILED(describe_elements(count_of(cube, call.counts, corner), call.type, blocks));
    RETURN_IF_FAILED(copy_elements(
        blocks, blocks.at(from, static_cast<MPI_Aint>(call.counts.first(cube.first_rank(corner)))),
        blocks.at(to, firsts[cube.position(corner)]), call.comm));
  }
  return MPI_SUCCESS;
}

}  // namespace

int scatter_by_halves(const ScatteringCall& call) {
  const auto& [in, out, counts, type, op, comm] = call;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  const std::int64_t total = counts.first(size);
  if (!fits_a_message(static_cast<std::size_t>(total))) return scatter_by_pairs(call);
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, static_cast<int>(total), type, op, comm));
  const auto& [rank, ranks, all, commutative, operands] = setup;
  if (all.data == 0) return MPI_SUCCESS;
  const int count = counts.of(rank);
  Elements block;
  RETURN_IF_FAILED(describe_elements(count, type, block));
  if (size == 1) return copy_elements(block, operands, out, comm);
  const Hypercube cube(rank, size);
  const int other = cube.other_of_pair();
  if (cube.waits()) {
    RETURN_IF_FAILED(PMPI_Send(operands, all.count, type, other, kAlgorithmTag, comm));
    return PMPI_Recv(out, count, type, other, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
  }

  Scratch first;
  Scratch second;
  RETURN_IF_FAILED(first.allocate(all));
  RETURN_IF_FAILED(second.allocate(all));
  Reduction of_pair(all, op, commutative, operands, first.address(), second.address(), comm);
  RETURN_IF_FAILED(fold_pair(cube, all, of_pair, comm));
  const std::unique_ptr<int[]> firsts = firsts_of(cube, counts);
  if (firsts == nullptr) return MPI_ERR_NO_MEM;
  const bool in_first = of_pair.value() == first.address();
  void* permuted = in_first ? second.address() : first.address();
  void* room = in_first ? first.address() : second.address();
  RETURN_IF_FAILED(permute_blocks(cube, firsts.get(), call, of_pair.value(), permuted));

  Reduction reduction(all, op, commutative, permuted, room, permuted, comm);
  const auto first_of = [&](int position) { return firsts[position]; };
  RETURN_IF_FAILED(reduce_scatter_by_halving(cube, first_of, type, reduction, comm));
  const void* mine = reduction.value(firsts[cube.position()]);
  // The blocks of a pair lie in the order of its ranks, of which the second one is here.
  if (cube.paired()) {
    const int count_of_other = counts.of(other);
    RETURN_IF_FAILED(PMPI_Send(mine, count_of_other, type, other, kAlgorithmTag, comm));
    mine = all.at(mine, count_of_other);
  }
  return copy_elements(block, mine, out, comm);
}

}  // namespace leadline::coll
