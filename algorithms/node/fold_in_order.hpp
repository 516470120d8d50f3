// The reduction of operands that all lie in memory.
#pragma once

#include <algorithm>
#include <cstddef>

namespace leadline::node {

// Operands in the order of the ranks, piece by piece while the result lies in the first cache:
// `operand(rank)` is at least `bytes` long, and only that of rank 0 may be `out`.
template <typename Reduction, typename Operand>
int fold_in_order(Reduction& reduction, int size, std::byte* out, std::size_t bytes,
                  const Operand& operand) {
  constexpr std::size_t kPiece = std::size_t{8} << 10;
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    const std::size_t now = std::min(kPiece, bytes - at);
    reduction.combine(operand(0) + at, operand(1) + at, out + at, now);
    for (int rank = 2; rank < size; ++rank) {
      reduction.combine(out + at, operand(rank) + at, out + at, now);
    }
  }
  return reduction.code();
}

}  // namespace leadline::node
