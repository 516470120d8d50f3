// The binomial tree of any number of ranks: a rank's place counts from the root's, and its parent's
// place is its own without the lowest bit set. Each subtree is a contiguous range of places.
#pragma once

#include <algorithm>

namespace leadline::coll {

class BinomialTree {
 public:
  BinomialTree(int rank, int size, int root)
      : place_((rank - root + (rank < root ? size : 0))),
        size_(size),
        root_(root),
        lowest_bit_(place_ & -place_),
        span_(place_ == 0 ? size : std::min(lowest_bit_, size - place_)) {}

  bool is_root() const { return place_ == 0; }
  int place() const { return place_; }
  // Ranks of the subtree under this one, itself included: those at place() and after.
  int span() const { return span_; }
  int rank_at(long place) const {
    const long rank = root_ + place;
    return static_cast<int>(rank < size_ ? rank : rank - size_);
  }
  int parent() const { return rank_at(place_ - lowest_bit_); }

  // The children are `step` places ahead, for each power of two below the span:
  //   for (long step = 1; step < tree.span(); step *= 2)
  // From the largest subtree to the smallest:
  //   for (long step = tree.largest_step(); step > 0; step /= 2)
  long largest_step() const {
    long step = 1;
    while (step < span_) step *= 2;
    return step / 2;
  }
  int child(long step) const { return rank_at(place_ + step); }
  int child_span(long step) const { return static_cast<int>(std::min(step, span_ - step)); }

 private:
  int place_;
  int size_;
  int root_;
  int lowest_bit_;
  int span_;
};

}  // namespace leadline::coll
