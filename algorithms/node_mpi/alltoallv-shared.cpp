// On one node, every rank writes pieces of its blocks to shared memory, and says how long each
// block is and whether more is to come. Between nodes, the library's own.
#include <climits>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "algorithms/collectives/alltoallv/alltoallv.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/parts.hpp"

namespace leadline::node {
namespace {

// A copy of the blocks for other ranks, one after the other.
class Copies {
 public:
  // Returns an MPI error code.
  int copy(const Parts& parts, int own) {
    std::size_t bytes = 0;
    for (int rank = 0; rank < static_cast<int>(parts.places().size()); ++rank) {
      places_.push_back({.offset = bytes, .bytes = rank == own ? 0 : parts.bytes(rank)});
      bytes += places_.back().bytes;
    }
    memory_.reset(new (std::nothrow) std::byte[bytes]);
    if (memory_ == nullptr) return MPI_ERR_NO_MEM;
    for (std::size_t rank = 0; rank < places_.size(); ++rank) {
      const auto& [offset, length] = places_[rank];
      if (length == 0) continue;
      std::memcpy(memory_.get() + offset, parts.block(static_cast<int>(rank)), length);
    }
    return MPI_SUCCESS;
  }
  const std::byte* data() const { return memory_.get(); }
  const std::vector<Place>& places() const { return places_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::vector<Place> places_;
};

int alltoallv_shared(const void* in, const int* in_counts, const int* in_offsets,
                     MPI_Datatype in_type, void* out, const int* out_counts, const int* out_offsets,
                     MPI_Datatype out_type, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !shared->one_node() ||
      !labels_parcels_for(shared->node(), shared->size())) {
    return coll::kLeftToLibrary;
  }
  const int size = shared->size();
  const bool in_place = in == MPI_IN_PLACE;
  const bool described = out_counts != nullptr && out_offsets != nullptr &&
                         (in_place || (in_counts != nullptr && in_offsets != nullptr));
  Parts given;
  Parts received;
  Copies copies;
  if (described) {
    RETURN_IF_FAILED(received.describe(out, out_counts, out_offsets, out_type, size, comm));
    if (!in_place) {
      RETURN_IF_FAILED(given.describe(in, in_counts, in_offsets, in_type, size, comm));
    }
  }
  RETURN_IF_FAILED((in_place ? received : given).pack());
  // Two ranks send as much as they receive, and each piece before another takes its place.
  const bool copied = described && in_place && size > 2;
  if (copied) RETURN_IF_FAILED(copies.copy(received, shared->rank()));
  const Parts& original = in_place ? received : given;
  const std::byte* const sent = copied ? copies.data() : original.data();
  const std::vector<Place>& places = copied ? copies.places() : original.places();
  const bool accepted = described && original.most() <= INT_MAX && received.most() <= INT_MAX;
  const Delivered delivered = alltoallv(shared->node(), sent, accepted ? &places : nullptr,
                                        received.data(), accepted ? &received.places() : nullptr);
  if (delivered == Delivered::kNothing) return coll::kLeftToLibrary;
  RETURN_IF_FAILED(received.unpack());
  if (delivered == Delivered::kTruncated) return MPI_ERR_TRUNCATE;
  return shared->finish();
}

const coll::AlltoallvAlgorithm shared{
    "shared", "pieces through shared memory on one node; the library's between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    alltoallv_shared};

}  // namespace
}  // namespace leadline::node
