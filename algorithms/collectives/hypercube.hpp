// A hypercube of any number of ranks, and vectors that are halved and doubled along its edges.
//
// Where P is no power of two, the first ranks are taken in pairs until a power of two is left: one
// of each pair waits, and the other stands for both. Neighbours are paired, so every corner of the
// hypercube holds a contiguous range of ranks, in order.
#pragma once

#include <mpi.h>

#include <bit>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/reduction.hpp"

namespace leadline::coll {

class Hypercube {
 public:
  // The odd one of a pair stands for both, but for the pair of `root`: there it is the root.
  Hypercube(int rank, int size, int root = -1)
      : rank_(rank),
        corners_(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))),
        pairs_(size - corners_),
        root_(root) {}

  int corners() const { return corners_; }
  int dimensions() const { return std::countr_zero(static_cast<unsigned>(corners_)); }
  bool paired() const { return rank_ < 2 * pairs_; }
  // Whether the other of the pair stands for both.
  bool waits() const { return paired() && rank_of(corner()) != rank_; }
  int other_of_pair() const { return rank_ ^ 1; }

  int corner() const { return corner_of(rank_); }
  int corner_of(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  int rank_of(int corner) const {
    if (corner >= pairs_) return corner + pairs_;
    return 2 * corner == root_ ? root_ : 2 * corner + 1;
  }
  // The ranks that a corner stands for.
  int first_rank(int corner) const { return corner < pairs_ ? 2 * corner : corner + pairs_; }
  int ranks(int corner) const { return corner < pairs_ ? 2 : 1; }
  // The neighbour whose corner differs in this bit.
  int neighbour(int bit) const { return rank_of(corner() ^ bit); }
  Reduction::Received order_of(int other) const {
    return other < rank_ ? Reduction::Received::kPrecedes : Reduction::Received::kFollows;
  }

  // The corner's number with its bits reversed, and so the other way: which of `corners` parts of a
  // vector is left to it when it has been halved along the dimensions in ascending order.
  int position(int corner) const {
    int reversed = 0;
    for (int bit = 1; bit < corners_; bit *= 2) reversed = 2 * reversed + ((corner & bit) != 0);
    return reversed;
  }
  int position() const { return position(corner()); }

 private:
  int rank_;
  int corners_;
  int pairs_;
  int root_;
};

// The parts that a corner keeps and gives away along one dimension, as `first_of(position)` says
// where the part of a position begins.
struct Halves {
  Part mine;
  Part others;
};

template <typename FirstOf>
Halves halves(const Hypercube& cube, int bit, const FirstOf& first_of) {
  const int half = cube.corners() / (2 * bit);
  const auto range = [&](int position) {
    const int first = first_of(position);
    return Part{first, first_of(position + half) - first};
  };
  const int position = cube.position() / half * half;
  return {range(position), range(position ^ half)};
}

// Recursive halving: along each dimension a corner gives away half of what it has and reduces the
// other half, until the part of its position is left. Going from near ranks to far ones, ranges of
// ranks stay contiguous, so that any operation keeps its order.
template <typename FirstOf>
int reduce_scatter_by_halving(const Hypercube& cube, const FirstOf& first_of, MPI_Datatype type,
                              Reduction& reduction, MPI_Comm comm) {
  for (int bit = 1; bit < cube.corners(); bit *= 2) {
    const auto [mine, others] = halves(cube, bit, first_of);
    const int neighbour = cube.neighbour(bit);
    RETURN_IF_FAILED(PMPI_Sendrecv(reduction.value(others.first), others.count, type, neighbour,
                                   kAlgorithmTag, reduction.room(mine.first), mine.count, type,
                                   neighbour, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    RETURN_IF_FAILED(reduction.combine(mine, cube.order_of(neighbour)));
  }
  return MPI_SUCCESS;
}

// A corner that stands for a pair takes the other's operand.
inline int fold_pair(const Hypercube& cube, const Elements& elements, Reduction& reduction,
                     MPI_Comm comm) {
  if (!cube.paired()) return MPI_SUCCESS;
  RETURN_IF_FAILED(PMPI_Recv(reduction.room(), elements.count, elements.type, cube.other_of_pair(),
                             kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  return reduction.combine(cube.order_of(cube.other_of_pair()));
}

}  // namespace leadline::coll
