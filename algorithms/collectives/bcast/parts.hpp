// Broadcasts of data that are cut into a part for each place of a binomial tree, scattered down
// that tree, and gathered again by all.
//
// Parts are cut at bytes, so that ranks may describe the data by different datatypes; the last ones
// are empty, and so are their messages, where there are fewer bytes than ranks. Data whose bytes
// MPI's int cannot count are left to the binomial tree.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>

#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/bcast/stream.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/shape.hpp"
#include "algorithms/collectives/tree.hpp"

namespace leadline::coll {

// The bytes that belong to ranks at so many places of the tree.
struct Range {
  std::size_t first;
  int bytes;
};

class Parts {
 public:
  Parts(std::size_t bytes, int size)
      : bytes_(bytes), each_((bytes + static_cast<std::size_t>(size) - 1) / size) {}

  Range of(long place, int places) const {
    const std::size_t first = std::min(bytes_, each_ * static_cast<std::size_t>(place));
    const std::size_t last = std::min(bytes_, each_ * static_cast<std::size_t>(place + places));
    return {first, static_cast<int>(last - first)};
  }

 private:
  std::size_t bytes_;
  std::size_t each_;
};

// Each rank gets what belongs to the places of its subtree.
inline int scatter_parts(const BinomialTree& tree, const Parts& parts, const Stream& stream,
                         MPI_Comm comm) {
  if (!tree.is_root()) {
    const Range range = parts.of(tree.place(), tree.span());
    RETURN_IF_FAILED(PMPI_Recv(stream.at(range.first), range.bytes, MPI_PACKED, tree.parent(),
                               kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  for (long step = tree.largest_step(); step > 0; step /= 2) {
    const Range range = parts.of(tree.place() + step, tree.child_span(step));
    RETURN_IF_FAILED(PMPI_Send(stream.at(range.first), range.bytes, MPI_PACKED, tree.child(step),
                               kAlgorithmTag, comm));
  }
  return MPI_SUCCESS;
}

// How all ranks get the parts of all others, each with its own.
using GatherParts = int(const BinomialTree& tree, int size, const Parts& parts,
                        const Stream& stream, MPI_Comm comm);

inline int bcast_in_parts(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                          GatherParts* gather_parts) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(count, type, comm));
  const auto& [rank, size, elements] = shape;
  if (size == 1 || elements.data == 0) return MPI_SUCCESS;
  if (!fits_a_message(elements.data)) return bcast_binomial(data, count, type, root, comm);

  const BinomialTree tree(rank, size, root);
  const Parts parts(elements.data, size);
  Stream stream;
  RETURN_IF_FAILED(stream.open(data, count, type, elements.data, rank == root, comm));
  RETURN_IF_FAILED(scatter_parts(tree, parts, stream, comm));
  RETURN_IF_FAILED(gather_parts(tree, size, parts, stream, comm));
  return rank == root ? MPI_SUCCESS : stream.deliver(comm);
}

}  // namespace leadline::coll
