// On one node, ranks hand one another the operands of their blocks in shared memory, and each
// reduces its own. Several nodes are left to the library.
//
// Operations of the user's and types with gaps are left to the pairwise exchange on several nodes,
// and where blocks differ in length.
#include <algorithm>
#include <cstring>
#include <vector>

#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/reduce_scatter/reduce_scatter.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/ordered_reduction.hpp"
#include "algorithms/node_mpi/predefined.hpp"

namespace leadline::node {
namespace {

bool all_alike(const int* counts, int ranks) {
  return std::all_of(counts, counts + ranks, [&](int count) { return count == counts[0]; });
}

// Where the blocks begin, in bytes, and where the last one ends.
std::vector<std::size_t> firsts_of(const int* counts, int ranks, std::size_t element_bytes) {
  std::vector<std::size_t> firsts{0};
  firsts.reserve(static_cast<std::size_t>(ranks) + 1);
  for (int rank = 0; rank < ranks; ++rank) {
    firsts.push_back(firsts.back() + static_cast<std::size_t>(counts[rank]) * element_bytes);
  }
  return firsts;
}

// MPICH 5.0 ends the program where a rank whose block is the first one with elements reduces in
// place, since it would copy that block to itself.
int by_library(const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
  int ranks = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &ranks));
  if (in != MPI_IN_PLACE || all_alike(counts, ranks)) {
    return PMPI_Reduce_scatter(in, out, counts, type, op, comm);
  }
  const std::size_t bytes = firsts_of(counts, ranks, dense_predefined_size(type)).back();
  coll::Scratch operands;
  RETURN_IF_FAILED(operands.allocate_bytes(bytes));
  if (bytes > 0) std::memcpy(operands.address(), out, bytes);
  return PMPI_Reduce_scatter(operands.address(), out, counts, type, op, comm);
}

int reduce_scatter_shared(const void* in, void* out, const int* counts, MPI_Datatype type,
                          MPI_Op op, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  Reduction reduction;
  if (!Reduction::describe(type, op, reduction)) {
    const auto elsewhere = [&] {
      return coll::reduce_scatter_pairwise(in, out, counts, type, op, comm);
    };
    int ranks = 0;
    RETURN_IF_FAILED(PMPI_Comm_size(comm, &ranks));
    if (!all_alike(counts, ranks)) return elsewhere();
    const auto own = [&](OrderedReduction& ordered) {
      return ordered.reduce_scatter_block(in, out, counts[0]);
    };
    return OrderedReduction::carry_out(type, op, comm, own, elsewhere);
  }
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !shared->one_node() ||
      !holds_pieces_for(shared->node(), shared->size())) {
    return by_library(in, out, counts, type, op, comm);
  }
  const std::size_t element = reduction.element_bytes();
  const int ranks = shared->size();
  if (all_alike(counts, ranks)) {
    const std::size_t bytes = element * static_cast<std::size_t>(counts[0]);
    if (bytes == 0) return MPI_SUCCESS;
    reduce_scatter(shared->node(), reduction, in == MPI_IN_PLACE ? out : in, out, bytes);
  } else {
    const std::vector<std::size_t> firsts = firsts_of(counts, ranks, element);
    const BlockLengths blocks(firsts.data());
    const std::size_t mine = blocks.bytes(shared->rank());
    // In place, the result would lie on operands that are still needed.
    coll::Scratch scratch;
    if (in == MPI_IN_PLACE) RETURN_IF_FAILED(scratch.allocate_bytes(mine));
    void* const result = in == MPI_IN_PLACE ? scratch.address() : out;
    reduce_scatter(shared->node(), reduction, in == MPI_IN_PLACE ? out : in, result, blocks);
    if (result != out && mine > 0) std::memcpy(out, result, mine);
  }
  RETURN_IF_FAILED(reduction.code());
  return shared->finish();
}

const coll::ReduceScatterAlgorithm shared{
    "shared",
    "each rank reduces its block in shared memory on one node; the library's between nodes; "
    "pairwise for operations of the user's and types with gaps between nodes or where blocks "
    "differ",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    reduce_scatter_shared};

}  // namespace
}  // namespace leadline::node
