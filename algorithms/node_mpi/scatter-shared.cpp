// On one node, the root writes pieces for all others to shared memory, from where each takes its
// own. Between nodes, the library's own.
#include "algorithms/collectives/scatter/scatter.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/row.hpp"

namespace leadline::node {
namespace {

int scatter_shared(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                   MPI_Datatype out_type, int root, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  int rank = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  const bool here = rank == root;
  if ((here && in_count < 0) || (out != MPI_IN_PLACE && out_count < 0)) {
    return coll::scatter_linear(in, in_count, in_type, out, out_count, out_type, root, comm);
  }
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !shared->one_node() || root < 0 || root >= shared->size() ||
      !holds_pieces_for(shared->node(), shared->size())) {
    return PMPI_Scatter(in, in_count, in_type, out, out_count, out_type, root, comm);
  }
  Row sent;
  Row received;
  if (here) RETURN_IF_FAILED(sent.describe(in, in_count, in_type, shared->size(), comm));
  if (out != MPI_IN_PLACE) RETURN_IF_FAILED(received.describe(out, out_count, out_type, 1, comm));
  const std::size_t bytes = (here ? sent : received).block_bytes();
  if (bytes == 0) return MPI_SUCCESS;
  if (here) RETURN_IF_FAILED(sent.pack());
  // In place, the root's own block stays where it is.
  std::byte* const mine = out == MPI_IN_PLACE ? sent.block(root) : received.data();
  scatter(shared->node(), sent.data(), mine, bytes, root);
  if (out != MPI_IN_PLACE) RETURN_IF_FAILED(received.unpack());
  return shared->finish();
}

const coll::ScatterAlgorithm shared{
    "shared", "pieces through shared memory on one node; the library's between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    scatter_shared};

}  // namespace
}  // namespace leadline::node
