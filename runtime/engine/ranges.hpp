// Which algorithm carries out a collective, by ranges of bytes, and the collectives that there are.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/learning/learnt.hpp"
#include "runtime/profile/profile.hpp"

namespace leadline::runtime {

struct SizeRange {
  std::size_t to_bytes;   // inclusive
  AnyFunction* function;  // nullptr: the library's own
  const Rule* rule;       // nullptr: none fits
  // What is learnt of it: calls until the next one that is a trial, and what is tried.
  std::int64_t quiet = INT64_MAX;
  std::unique_ptr<Learnt> learnt = nullptr;
};

// The range of a size is found in a step or two.
class SizeRanges {
 public:
  explicit SizeRanges(std::vector<SizeRange> ranges);

  SizeRange& find(std::size_t bytes) {
    std::size_t i = first_[static_cast<std::size_t>(std::bit_width(bytes))];
    while (bytes > ranges_[i].to_bytes) ++i;
    return ranges_[i];
  }

 private:
  std::vector<SizeRange> ranges_;
  // By the number of bits of a size: the first range in which such a size can lie.
  std::array<std::size_t, 65> first_{};
};

// A collective that can be replaced, by the name that profiles give it.
struct KnownCollective {
  // Returns the algorithm of a name, or nullptr.
  using Find = AnyFunction*(std::string_view name);

  // All, in the order in which they made themselves known.
  static std::vector<KnownCollective>& all();
  // Returns the index of the new one.
  static std::size_t add(const KnownCollective& collective);

  std::string_view name;
  Find* find;
  bool waits_for_all;      // no rank can leave before all have come
  std::size_t one_way_to;  // where it is learnt: all sizes up to this one are one class
};

}  // namespace leadline::runtime
