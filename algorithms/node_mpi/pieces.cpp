#include "algorithms/node_mpi/pieces.hpp"

#include <algorithm>

#include "algorithms/node/settings.hpp"

namespace leadline::node {

Pieces::Pieces(std::size_t bytes, std::size_t element_bytes) : bytes_(bytes) {
  const std::size_t wanted = std::max<std::size_t>(1, bytes / settings().piece_bytes);
  const std::size_t unit = std::max<std::size_t>(64, element_bytes);
  each_ = (bytes / wanted + unit - 1) / unit * unit;
  count_ = (bytes + each_ - 1) / each_;
}

Piece Pieces::at(std::size_t index) const {
  const std::size_t offset = index * each_;
  return {.offset = offset, .bytes = std::min(each_, bytes_ - offset)};
}

}  // namespace leadline::node
