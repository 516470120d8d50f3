// The calls that move words between two PEs, and the axes that choose one. With more than two PEs,
// those of the first half each have a partner in the second, and all pairs are at it together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/benchmark.hpp"

namespace leadline::probe {

struct Transfer {
  std::uint64_t* target;
  const std::uint64_t* source;
  std::size_t words;
  std::ptrdiff_t stride;  // between words, at both ends
  int pe;
};
using TransferFunction = void (*)(const Transfer&);

inline constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

// bytes, in whole words of at least `minimum_words`.
Axis word_bytes_axis(const char* summary, int minimum_words);
// kind, unit and stride, with the names of the calls.
std::vector<Axis> shape_axes(const char* unit_calls, const char* strided_call);

// Whole with a nonblocking call: the quiet that completes it is within. Throw Unavailable where
// OpenSHMEM has no call of that shape.
TransferFunction chosen_put(const Point& point);
TransferFunction chosen_get(const Point& point);

// Of a half of the PEs: whether this one is in the first, and its partner in the other.
struct Pair {
  bool first;
  int partner;
};
Pair pair_of(const World& world);
inline constexpr Processes kPairs{.minimum = 2, .multiple_of = 2};

}  // namespace leadline::probe
