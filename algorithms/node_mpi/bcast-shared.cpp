// On each node, one rank writes the data to shared memory piece by piece, while the others read the
// pieces before. Between nodes, the first ranks of the nodes do the library's broadcast,
// of large data in pieces.
#include <algorithm>
#include <climits>

#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/pieces.hpp"
#include "algorithms/node_mpi/row.hpp"

namespace leadline::node {
namespace {

int between_nodes(SharedCommunicator& shared, std::byte* data, std::size_t bytes, int root) {
  const int root_node = shared.node_of(root);
  const bool here = shared.this_node() == root_node;
  const int source = shared.rank_on_node(root);
  const auto on_node = [&](Piece piece) {
    bcast(shared.node(), data + piece.offset, piece.bytes, here ? source : 0);
  };
  // The network first, where the root itself has it.
  const bool node_first = here && source != 0;
  return in_pieces(
      shared, Pieces(bytes, 1),
      [&](Piece piece) {
        if (node_first) on_node(piece);
      },
      [&](Piece piece, MPI_Request* request) {
        const int count = static_cast<int>(piece.bytes);
        std::byte* what = data + piece.offset;
        return request == nullptr
                   ? PMPI_Bcast(what, count, MPI_BYTE, root_node, shared.leaders())
                   : PMPI_Ibcast(what, count, MPI_BYTE, root_node, shared.leaders(), request);
      },
      [&](Piece piece) {
        if (!node_first) on_node(piece);
      });
}

// What libraries say where a rank expects another size than the root sends: if it is less, that the
// message is truncated; if it is more, Open MPI takes what comes, and others refuse.
int code_of_size(std::size_t expected, std::size_t sent) {
  if (sent > expected) return MPI_ERR_TRUNCATE;
#ifdef OPEN_MPI
  return MPI_SUCCESS;
#else
  return sent < expected ? MPI_ERR_OTHER : MPI_SUCCESS;
#endif
}

int bcast_shared(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  Row row;
  if (count < 0) return coll::bcast_binomial(data, count, type, root, comm);
  RETURN_IF_FAILED(row.describe(data, count, type, 1, comm));
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  const std::size_t bytes = row.block_bytes();
  if (bytes == 0) return MPI_SUCCESS;
  if (shared == nullptr || root < 0 || root >= shared->size() || bytes > INT_MAX) {
    return PMPI_Bcast(data, count, type, root, comm);
  }
  if (shared->rank() == root) RETURN_IF_FAILED(row.pack());
  std::size_t sent = bytes;
  if (shared->one_node()) {
    sent = bcast(shared->node(), row.data(), bytes, root);
  } else {
    RETURN_IF_FAILED(between_nodes(*shared, row.data(), bytes, root));
  }
  if (shared->rank() != root) RETURN_IF_FAILED(row.unpack(std::min(sent, bytes)));
  const int code = code_of_size(bytes, sent);
  return code == MPI_SUCCESS ? shared->finish() : code;
}

const coll::BcastAlgorithm shared{
    "shared",
    "node-aware: pieces through shared memory on each node, the library between the nodes' first "
    "ranks",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    bcast_shared};

}  // namespace
}  // namespace leadline::node
