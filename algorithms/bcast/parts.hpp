// Data cut into a part for each place of a binomial tree, and scattered down that tree.
//
// Parts are cut at bytes, so that ranks may describe the data by different datatypes; the last ones
// are empty, and so are their messages, where there are fewer bytes than ranks.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>

#include "algorithms/bcast/stream.hpp"
#include "algorithms/tree.hpp"

namespace leadline {

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

}  // namespace leadline
