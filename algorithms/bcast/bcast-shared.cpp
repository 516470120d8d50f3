// On each node, one rank writes the data to shared memory piece by piece, while the others read the
// pieces before. Between nodes, the first ranks of the nodes do the library's broadcast.
#include <climits>

#include "algorithms/bcast/bcast.hpp"
#include "algorithms/shared/communicator.hpp"
#include "algorithms/shared/node_collectives.hpp"
#include "algorithms/shared/row.hpp"

namespace leadline {
namespace {

int between_nodes(SharedCommunicator& shared, void* data, std::size_t bytes, int root) {
  const int root_node = shared.node_of(root);
  int code = MPI_SUCCESS;
  if (shared.this_node() == root_node) {
    node_bcast(shared.node(), data, bytes, shared.rank_on_node(root));
  }
  if (shared.leads()) {
    code = PMPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root_node, shared.leaders());
  }
  if (shared.this_node() != root_node) node_bcast(shared.node(), data, bytes, 0);
  return code;
}

int bcast_shared(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  Row row;
  if (count < 0) return bcast_binomial(data, count, type, root, comm);
  RETURN_IF_FAILED(row.describe(data, count, type, 1, comm));
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  const std::size_t bytes = row.block_bytes();
  if (bytes == 0) return MPI_SUCCESS;
  if (shared == nullptr || root < 0 || root >= shared->size() || bytes > INT_MAX) {
    return PMPI_Bcast(data, count, type, root, comm);
  }
  if (shared->rank() == root) RETURN_IF_FAILED(row.pack());
  if (shared->one_node()) {
    node_bcast(shared->node(), row.data(), bytes, root);
  } else {
    RETURN_IF_FAILED(between_nodes(*shared, row.data(), bytes, root));
  }
  if (shared->rank() != root) RETURN_IF_FAILED(row.unpack());
  return shared->node().take_error();
}

const BcastAlgorithm shared{
    "shared",
    "node-aware: pieces through shared memory on each node, the library between the nodes' first "
    "ranks",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    bcast_shared};

}  // namespace
}  // namespace leadline
