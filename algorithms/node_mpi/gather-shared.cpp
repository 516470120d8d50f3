// On one node, every rank writes its block to shared memory piece by piece, from where the root
// takes it. Between nodes, the library's own.
#include "algorithms/collectives/gather/gather.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/row.hpp"

namespace leadline::node {
namespace {

int gather_shared(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                  MPI_Datatype out_type, int root, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  int rank = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  const bool here = rank == root;
  if ((here && out_count < 0) || (in != MPI_IN_PLACE && in_count < 0)) {
    return coll::gather_linear(in, in_count, in_type, out, out_count, out_type, root, comm);
  }
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !shared->one_node() || root < 0 || root >= shared->size()) {
    return PMPI_Gather(in, in_count, in_type, out, out_count, out_type, root, comm);
  }
  Row sent;
  Row received;
  if (here) RETURN_IF_FAILED(received.describe(out, out_count, out_type, shared->size(), comm));
  if (in != MPI_IN_PLACE) RETURN_IF_FAILED(sent.describe(in, in_count, in_type, 1, comm));
  const std::size_t bytes = (here ? received : sent).block_bytes();
  if (bytes == 0) return MPI_SUCCESS;
  // In place, the root's own block is packed with all the others.
  RETURN_IF_FAILED((in == MPI_IN_PLACE ? received : sent).pack());
  const std::byte* mine = in == MPI_IN_PLACE ? received.block(root) : sent.data();
  gather(shared->node(), mine, received.data(), bytes, root);
  if (here) RETURN_IF_FAILED(received.unpack());
  return shared->finish();
}

const coll::GatherAlgorithm shared{
    "shared", "pieces through shared memory on one node; the library's between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    gather_shared};

}  // namespace
}  // namespace leadline::node
