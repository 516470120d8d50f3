// On each node, ranks read one another's operands in shared memory and reduce them themselves.
// Between nodes, the first ranks of the nodes do the library's allreduce; where all have as many
// ranks, each rank of a node reduces a part of larger data, on its node and then with its like on
// the other nodes (Bayatpour et al.: Scalable Reduction Collectives with Data Partitioning-based
// Multi-Leader Design, SC 2017).
//
// On several nodes, operations of the user's and types with gaps are left to recursive doubling.
#include <algorithm>

#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/ordered_reduction.hpp"
#include "algorithms/node_mpi/predefined.hpp"

namespace leadline::node {
namespace {

// What a call is given.
struct Call {
  const std::byte* in;
  std::byte* out;
  std::size_t bytes;
  MPI_Datatype type;
  MPI_Op op;
};

int by_first_ranks(SharedCommunicator& shared, Reduction& reduction, const Call& call) {
  const int count = static_cast<int>(call.bytes / reduction.element_bytes());
  reduce(shared.node(), reduction, call.in, call.out, call.bytes, 0);
  int code = MPI_SUCCESS;
  if (shared.leads()) {
    code = PMPI_Allreduce(MPI_IN_PLACE, call.out, count, call.type, call.op, shared.leaders());
  }
  bcast(shared.node(), call.out, call.bytes, 0);
  return code;
}

// `part` is what each rank of the node takes of the data.
int by_all_ranks(SharedCommunicator& shared, Reduction& reduction, const Call& call,
                 std::size_t part) {
  Node& node = shared.node();
  std::byte* const mine = call.out + static_cast<std::size_t>(node.rank()) * part;
  const int count = static_cast<int>(part / reduction.element_bytes());
  // In place, the part holds operands of this rank's that are needed until all are reduced.
  coll::Scratch scratch;
  if (call.in == call.out) RETURN_IF_FAILED(scratch.allocate_bytes(part));
  void* const of_node = call.in == call.out ? scratch.address() : mine;
  reduce_scatter(node, reduction, call.in, of_node, part);
  const int code = PMPI_Allreduce(of_node == mine ? MPI_IN_PLACE : of_node, mine, count, call.type,
                                  call.op, shared.rail());
  allgather(node, mine, call.out, part);
  return code;
}

int between_nodes(SharedCommunicator& shared, Reduction& reduction, const Call& call) {
  // Below, a second message on the way to the network costs more than it brings.
  constexpr std::size_t kLeastPart = 2 << 10;
  const auto ranks = static_cast<std::size_t>(shared.most_ranks_on_node());
  const std::size_t unit = std::max<std::size_t>(64, reduction.element_bytes());
  const std::size_t part = call.bytes / ranks / unit * unit;
  if (!shared.even() || part < kLeastPart ||
      !holds_pieces_for(shared.node(), shared.node().size())) {
    return by_first_ranks(shared, reduction, call);
  }
  const std::size_t parts = part * ranks;
  Call rest = call;
  rest.in += parts;
  rest.out += parts;
  rest.bytes -= parts;
  const int code = by_all_ranks(shared, reduction, call, part);
  const int code_of_rest = rest.bytes == 0 ? MPI_SUCCESS : by_first_ranks(shared, reduction, rest);
  return code != MPI_SUCCESS ? code : code_of_rest;
}

int allreduce_shared(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  Reduction reduction;
  if (count < 0 || !Reduction::describe(type, op, reduction)) {
    const auto elsewhere = [&] {
      return coll::allreduce_recursive_doubling(in, out, count, type, op, comm);
    };
    if (count < 0) return elsewhere();
    const auto own = [&](OrderedReduction& ordered) { return ordered.allreduce(in, out, count); };
    return OrderedReduction::carry_out(type, op, comm, own, elsewhere);
  }
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr) return PMPI_Allreduce(in, out, count, type, op, comm);
  if (count == 0) return MPI_SUCCESS;
  if (in == MPI_IN_PLACE) in = out;
  const std::size_t bytes = reduction.element_bytes() * static_cast<std::size_t>(count);
  if (shared->one_node()) {
    allreduce(shared->node(), reduction, in, out, bytes);
  } else {
    RETURN_IF_FAILED(between_nodes(*shared, reduction,
                                   {.in = static_cast<const std::byte*>(in),
                                    .out = static_cast<std::byte*>(out),
                                    .bytes = bytes,
                                    .type = type,
                                    .op = op}));
  }
  RETURN_IF_FAILED(reduction.code());
  return shared->finish();
}

const coll::AllreduceAlgorithm shared{
    "shared",
    "node-aware: reduced in shared memory on each node, by the library between the nodes' first "
    "ranks, larger data between all ranks; recursive doubling between nodes for "
    "operations of the user's and types with gaps",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    allreduce_shared};

}  // namespace
}  // namespace leadline::node
