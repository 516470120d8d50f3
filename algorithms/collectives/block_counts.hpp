// The elements of each rank's block, where blocks follow one another.
#pragma once

#include <cstdint>

namespace leadline::coll {

// As many for every rank, or what an array of the caller's says.
class BlockCounts {
 public:
  explicit BlockCounts(int each) : each_(each) {}
  explicit BlockCounts(const int* counts) : counts_(counts) {}

  int of(int rank) const { return counts_ != nullptr ? counts_[rank] : each_; }
  // Where the block of a rank begins, and with the number of ranks where the last one ends.
  std::int64_t first(int rank) const {
    if (counts_ == nullptr) return std::int64_t{each_} * rank;
    std::int64_t sum = 0;
    for (int before = 0; before < rank; ++before) sum += counts_[before];
    return sum;
  }

 private:
  int each_ = 0;
  const int* counts_ = nullptr;
};

}  // namespace leadline::coll
