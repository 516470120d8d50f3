// On one node, every rank writes its block to shared memory piece by piece, from where the root
// takes it, which says in how many steps. Between nodes, the library's own.
#include <climits>

#include "algorithms/collectives/gatherv/gatherv.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/parts.hpp"
#include "algorithms/node_mpi/row.hpp"

namespace leadline::node {
namespace {

int gatherv_shared(const void* in, int in_count, MPI_Datatype in_type, void* out, const int* counts,
                   const int* offsets, MPI_Datatype out_type, int root, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !shared->one_node() || root < 0 || root >= shared->size()) {
    return coll::kLeftToLibrary;
  }
  const bool here = shared->rank() == root;
  const bool described = here && counts != nullptr && offsets != nullptr;
  Row sent;
  Parts received;
  if (in != MPI_IN_PLACE) RETURN_IF_FAILED(sent.describe(in, in_count, in_type, 1, comm));
  if (described) {
    RETURN_IF_FAILED(received.describe(out, counts, offsets, out_type, shared->size(), comm));
  }
  RETURN_IF_FAILED(in == MPI_IN_PLACE ? received.pack(root) : sent.pack());
  const std::byte* mine = in == MPI_IN_PLACE && described ? received.block(root) : sent.data();
  const std::size_t bytes =
      in == MPI_IN_PLACE && described ? received.bytes(root) : sent.block_bytes();
  const bool accepted = described && received.most() <= INT_MAX;
  const Delivered delivered = gatherv(shared->node(), mine, bytes, received.data(),
                                      accepted ? &received.places() : nullptr, root);
  if (delivered == Delivered::kNothing) return coll::kLeftToLibrary;
  RETURN_IF_FAILED(received.unpack());
  if (delivered == Delivered::kTruncated) return MPI_ERR_TRUNCATE;
  return shared->finish();
}

const coll::GathervAlgorithm shared{
    "shared", "pieces through shared memory on one node; the library's between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    gatherv_shared};

}  // namespace
}  // namespace leadline::node
