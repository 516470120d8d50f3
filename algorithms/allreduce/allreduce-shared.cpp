// On each node, ranks read one another's operands in shared memory and reduce them themselves.
// Between nodes, the first ranks of the nodes do the library's allreduce, of large data in pieces.
//
// Operations of the user's, and types with gaps, are left to the hypercube.
#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/shared/communicator.hpp"
#include "algorithms/shared/node_collectives.hpp"
#include "algorithms/shared/pieces.hpp"
#include "algorithms/shared/predefined.hpp"

namespace leadline {
namespace {

int between_nodes(SharedCommunicator& shared, Reduction& reduction, const void* in, void* out,
                  MPI_Datatype type, MPI_Op op, std::size_t bytes) {
  const auto* operands = static_cast<const std::byte*>(in);
  auto* results = static_cast<std::byte*>(out);
  return in_pieces(
      shared, Pieces(bytes, reduction.element_bytes()),
      [&](Piece piece) {
        node_reduce(shared.node(), reduction, operands + piece.offset, results + piece.offset,
                    piece.bytes, 0);
      },
      [&](Piece piece, MPI_Request* request) {
        const int count = static_cast<int>(piece.bytes / reduction.element_bytes());
        void* sum = results + piece.offset;
        return request == nullptr
                   ? PMPI_Allreduce(MPI_IN_PLACE, sum, count, type, op, shared.leaders())
                   : PMPI_Iallreduce(MPI_IN_PLACE, sum, count, type, op, shared.leaders(), request);
      },
      [&](Piece piece) { node_bcast(shared.node(), results + piece.offset, piece.bytes, 0); });
}

int allreduce_shared(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  Reduction reduction;
  if (count < 0 || !Reduction::describe(type, op, reduction)) {
    return allreduce_hypercube(in, out, count, type, op, comm);
  }
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr) return PMPI_Allreduce(in, out, count, type, op, comm);
  if (count == 0) return MPI_SUCCESS;
  if (in == MPI_IN_PLACE) in = out;
  const std::size_t bytes = reduction.element_bytes() * static_cast<std::size_t>(count);
  if (shared->one_node()) {
    node_allreduce(shared->node(), reduction, in, out, bytes);
  } else {
    RETURN_IF_FAILED(between_nodes(*shared, reduction, in, out, type, op, bytes));
  }
  RETURN_IF_FAILED(reduction.code());
  return shared->node().take_error();
}

const AllreduceAlgorithm shared{
    "shared",
    "node-aware: reduced in shared memory on each node, by the library between the nodes' first "
    "ranks; hypercube for operations of the user's and for types with gaps",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    allreduce_shared};

}  // namespace
}  // namespace leadline
