// On one node, the root writes pieces for all others to shared memory, and says how much is there
// for each and whether more is to come. Between nodes, the library's own.
#include <climits>

#include "algorithms/collectives/scatterv/scatterv.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/parts.hpp"
#include "algorithms/node_mpi/row.hpp"

namespace leadline::node {
namespace {

int scatterv_shared(const void* in, const int* counts, const int* offsets, MPI_Datatype in_type,
                    void* out, int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !shared->one_node() || root < 0 || root >= shared->size() ||
      !labels_parcels_for(shared->node(), shared->size())) {
    return coll::kLeftToLibrary;
  }
  const bool here = shared->rank() == root;
  const bool described = here && counts != nullptr && offsets != nullptr;
  const bool stays = out == MPI_IN_PLACE;
  Parts sent;
  Row received;
  if (described) {
    RETURN_IF_FAILED(sent.describe(in, counts, offsets, in_type, shared->size(), comm));
  }
  if (!stays) RETURN_IF_FAILED(received.describe(out, out_count, out_type, 1, comm));
  RETURN_IF_FAILED(sent.pack());
  // In place, the root's own block stays where it is.
  std::byte* const mine = stays && described ? sent.block(root) : received.data();
  const std::size_t bytes = stays && described ? sent.bytes(root) : received.block_bytes();
  const bool accepted = described && sent.most() <= INT_MAX;
  const Delivered delivered =
      scatterv(shared->node(), sent.data(), accepted ? &sent.places() : nullptr, mine, bytes, root);
  if (delivered == Delivered::kNothing) return coll::kLeftToLibrary;
  if (delivered == Delivered::kTruncated) return MPI_ERR_TRUNCATE;
  if (!stays) RETURN_IF_FAILED(received.unpack());
  return shared->finish();
}

const coll::ScattervAlgorithm shared{
    "shared", "pieces through shared memory on one node; the library's between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    scatterv_shared};

}  // namespace
}  // namespace leadline::node
