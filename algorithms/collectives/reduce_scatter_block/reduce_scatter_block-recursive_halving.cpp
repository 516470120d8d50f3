// Along each dimension of a hypercube a rank gives away half of what it has and reduces the other
// half: log2(P) steps, (P-1)/P of the data in and out of each rank.
//
// Going from near ranks to far ones keeps the order of any operation, but leaves to each corner the
// part whose position is the corner's number with its bits reversed, so blocks are put in that
// order first. Where P is no power of two, ranks that stand for a pair take all operands of the
// other before, and send it its block after. Data that MPI's int cannot count are left to the
// pairwise exchange.
#include <memory>
#include <new>

#include "algorithms/collectives/hypercube.hpp"
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"

namespace leadline::coll {
namespace {

// Where the blocks of each corner begin once they are in the order of positions, in elements.
std::unique_ptr<int[]> firsts_of(const Hypercube& cube, int count) {
  std::unique_ptr<int[]> firsts(
      new (std::nothrow) int[static_cast<std::size_t>(cube.corners()) + 1]);
  if (firsts == nullptr) return firsts;
  firsts[0] = 0;
  for (int position = 0; position < cube.corners(); ++position) {
    // Reversing twice gives the corner again.
    const int corner = cube.position(position);
    firsts[position + 1] = firsts[position] + cube.ranks(corner) * count;
  }
  return firsts;
}

int permute_blocks(const Hypercube& cube, const int* firsts, const Elements& block,
                   const void* from, void* to, MPI_Comm comm) {
  for (int corner = 0; corner < cube.corners(); ++corner) {
    Elements blocks;
    RETURN_IF_FAILED(describe_elements(cube.ranks(corner) * block.count, block.type, blocks));
    RETURN_IF_FAILED(copy_elements(blocks, block.block(from, cube.first_rank(corner)),
                                   block.at(to, firsts[cube.position(corner)]), comm));
  }
  return MPI_SUCCESS;
}

int reduce_scatter_block_recursive_halving(const void* in, void* out, int count, MPI_Datatype type,
                                           MPI_Op op, MPI_Comm comm) {
  ReductionSetup setup;
  RETURN_IF_FAILED(setup.describe(in, out, count, type, op, comm));
  const auto& [rank, size, block, commutative, operands] = setup;
  if (block.data == 0) return MPI_SUCCESS;
  if (size == 1) return copy_elements(block, operands, out, comm);
  if (!fits_a_message(static_cast<std::size_t>(count) * static_cast<std::size_t>(size))) {
    return reduce_scatter_block_pairwise(in, out, count, type, op, comm);
  }
  Elements all;
  RETURN_IF_FAILED(describe_elements(count * size, type, all));
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
  const std::unique_ptr<int[]> firsts = firsts_of(cube, count);
  if (firsts == nullptr) return MPI_ERR_NO_MEM;
  const bool in_first = of_pair.value() == first.address();
  void* permuted = in_first ? second.address() : first.address();
  void* room = in_first ? first.address() : second.address();
  RETURN_IF_FAILED(permute_blocks(cube, firsts.get(), block, of_pair.value(), permuted, comm));

  Reduction reduction(all, op, commutative, permuted, room, permuted, comm);
  const auto first_of = [&](int position) { return firsts[position]; };
  RETURN_IF_FAILED(reduce_scatter_by_halving(cube, first_of, type, reduction, comm));
  const void* mine = reduction.value(firsts[cube.position()]);
  // The blocks of a pair lie in the order of its ranks.
  if (cube.paired()) {
    RETURN_IF_FAILED(PMPI_Send(mine, count, type, other, kAlgorithmTag, comm));
    mine = block.block(mine, 1);
  }
  return copy_elements(block, mine, out, comm);
}

const ReduceScatterBlockAlgorithm recursive_halving{
    "recursive_halving", "log2(P) exchanges of half of the data, a quarter, an eighth ...",
    "Rabenseifner: Optimization of Collective Reduction Operations, ICCS 2004, LNCS 3036",
    reduce_scatter_block_recursive_halving};

}  // namespace
}  // namespace leadline::coll
