// On each node, ranks hand one another the operands of their blocks in shared memory, and each
// reduces its own. Between nodes, the first rank of each node has all blocks of its node's ranks
// reduced, the first ranks do the library's reduce_scatter, and each hands out the blocks of its
// node.
//
// On several nodes, operations of the user's and types with gaps are left to the pairwise exchange.
#include <climits>
#include <cstring>
#include <vector>

#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/ordered_reduction.hpp"
#include "algorithms/node_mpi/predefined.hpp"

namespace leadline::node {
namespace {

struct Call {
  const void* in;
  void* out;
  int count;
  MPI_Datatype type;
  MPI_Op op;
  std::size_t bytes;
};

// Among first ranks; libraries are better at equal blocks.
int exchange(const SharedCommunicator& shared, const Call& call, const void* in, void* out) {
  if (shared.even()) {
    return PMPI_Reduce_scatter_block(in, out, call.count * shared.most_ranks_on_node(), call.type,
                                     call.op, shared.leaders());
  }
  std::vector<int> counts;
  for (int node = 0; node < shared.nodes(); ++node) {
    counts.push_back(shared.ranks_on_node(node) * call.count);
  }
  return PMPI_Reduce_scatter(in, out, counts.data(), call.type, call.op, shared.leaders());
}

int between_nodes(SharedCommunicator& shared, Reduction& reduction, const Call& call) {
  Node& node = shared.node();
  const std::size_t total = call.bytes * static_cast<std::size_t>(shared.size());
  coll::Scratch of_node;
  const void* mine = nullptr;  // the blocks of this node's ranks
  coll::Scratch sorted;
  if (shared.leads()) {
    RETURN_IF_FAILED(of_node.allocate_bytes(total));
    RETURN_IF_FAILED(sorted.allocate_bytes(total));
  }
  reduce(node, reduction, call.in, of_node.address(), total, 0);
  int code = MPI_SUCCESS;
  if (shared.leads()) {
    if (!shared.in_order()) shared.sort_by_place(of_node.bytes(), sorted.bytes(), call.bytes);
    const void* operands = shared.in_order() ? of_node.address() : sorted.address();
    void* blocks = shared.in_order() ? sorted.address() : of_node.address();
    code = exchange(shared, call, operands, blocks);
    mine = blocks;
  }
  scatter(node, mine, call.out, call.bytes, 0);
  return code;
}

int reduce_scatter_block_shared(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  Reduction reduction;
  if (count < 0 || !Reduction::describe(type, op, reduction)) {
    const auto elsewhere = [&] {
      return coll::reduce_scatter_block_pairwise(in, out, count, type, op, comm);
    };
    if (count < 0) return elsewhere();
    const auto own = [&](OrderedReduction& ordered) {
      return ordered.reduce_scatter_block(in, out, count);
    };
    return OrderedReduction::carry_out(type, op, comm, own, elsewhere);
  }
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !holds_pieces_for(shared->node(), shared->most_ranks_on_node()) ||
      count > INT_MAX / shared->size()) {
    return PMPI_Reduce_scatter_block(in, out, count, type, op, comm);
  }
  if (count == 0) return MPI_SUCCESS;
  const Call call{.in = in == MPI_IN_PLACE ? out : in,
                  .out = out,
                  .count = count,
                  .type = type,
                  .op = op,
                  .bytes = reduction.element_bytes() * static_cast<std::size_t>(count)};
  if (shared->one_node()) {
    reduce_scatter(shared->node(), reduction, call.in, out, call.bytes);
  } else {
    RETURN_IF_FAILED(between_nodes(*shared, reduction, call));
  }
  RETURN_IF_FAILED(reduction.code());
  return shared->finish();
}

const coll::ReduceScatterBlockAlgorithm shared{
    "shared",
    "node-aware: each rank reduces its block in shared memory on one node; between nodes, the "
    "library's reduce_scatter among the nodes' first ranks; pairwise between nodes for "
    "operations of the user's and types with gaps",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    reduce_scatter_block_shared};

}  // namespace
}  // namespace leadline::node
