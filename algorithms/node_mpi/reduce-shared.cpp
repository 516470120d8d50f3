// On each node, the operands are reduced in shared memory. Between nodes, the first ranks of the
// nodes do the library's reduce, of large data in pieces.
//
// On several nodes, operations of the user's and types with gaps are left to the binomial tree.
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/reduce/reduce.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/ordered_reduction.hpp"
#include "algorithms/node_mpi/pieces.hpp"
#include "algorithms/node_mpi/predefined.hpp"

namespace leadline::node {
namespace {

int between_nodes(SharedCommunicator& shared, Reduction& reduction, const void* in, void* out,
                  int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  const std::size_t bytes = reduction.element_bytes() * static_cast<std::size_t>(count);
  const int root_node = shared.node_of(root);
  const bool root_leads = shared.rank_on_node(root) == 0;
  coll::Scratch scratch;
  void* sum = out;
  if (shared.leads() && shared.rank() != root) {
    coll::Elements elements;
    RETURN_IF_FAILED(coll::describe_elements(count, type, elements));
    RETURN_IF_FAILED(scratch.allocate(elements));
    sum = scratch.address();
  }
  const bool collects = shared.this_node() == root_node;
  const auto* operands = static_cast<const std::byte*>(in);
  auto* sums = static_cast<std::byte*>(sum);
  RETURN_IF_FAILED(in_pieces(
      shared, Pieces(bytes, reduction.element_bytes()),
      [&](Piece piece) {
        reduce(shared.node(), reduction, operands + piece.offset,
               shared.leads() ? sums + piece.offset : nullptr, piece.bytes, 0);
      },
      [&](Piece piece, MPI_Request* request) {
        const int now = static_cast<int>(piece.bytes / reduction.element_bytes());
        std::byte* to = sums + piece.offset;
        const void* from = collects ? MPI_IN_PLACE : to;
        return request == nullptr
                   ? PMPI_Reduce(from, to, now, type, op, root_node, shared.leaders())
                   : PMPI_Ireduce(from, to, now, type, op, root_node, shared.leaders(), request);
      },
      [](Piece) {}));
  if (root_leads) return MPI_SUCCESS;
  if (shared.leads() && collects) {
    return PMPI_Send(sum, count, type, root, coll::kAlgorithmTag, comm);
  }
  if (shared.rank() != root) return MPI_SUCCESS;
  const int leader = shared.rank_at(shared.first_place(root_node));
  return PMPI_Recv(out, count, type, leader, coll::kAlgorithmTag, comm, MPI_STATUS_IGNORE);
}

int reduce_shared(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
                  MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  Reduction reduction;
  if (count < 0 || !Reduction::describe(type, op, reduction)) {
    const auto elsewhere = [&] {
      return coll::reduce_binomial(in, out, count, type, op, root, comm);
    };
    int size = 0;
    RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
    if (count < 0 || root < 0 || root >= size) return elsewhere();
    const auto own = [&](OrderedReduction& ordered) {
      return ordered.reduce(in, out, count, root);
    };
    return OrderedReduction::carry_out(type, op, comm, own, elsewhere);
  }
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || root < 0 || root >= shared->size()) {
    return PMPI_Reduce(in, out, count, type, op, root, comm);
  }
  if (count == 0) return MPI_SUCCESS;
  if (in == MPI_IN_PLACE) in = out;
  if (shared->one_node()) {
    reduce(shared->node(), reduction, in, out,
           reduction.element_bytes() * static_cast<std::size_t>(count), root);
  } else {
    RETURN_IF_FAILED(between_nodes(*shared, reduction, in, out, count, type, op, root, comm));
  }
  RETURN_IF_FAILED(reduction.code());
  return shared->finish();
}

const coll::ReduceAlgorithm shared{
    "shared",
    "node-aware: reduced in shared memory on each node, by the library between the nodes' first "
    "ranks; binomial between nodes for operations of the user's and types with gaps",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    reduce_shared};

}  // namespace
}  // namespace leadline::node
