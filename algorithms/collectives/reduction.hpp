// What a rank has reduced so far, and where its next operand may arrive.
#pragma once

#include <mpi.h>

#include "algorithms/collectives/elements.hpp"

namespace leadline::coll {

// Begins with the rank's own operand, which is left as it is unless it lies in one of the two
// rooms. MPI_Reduce_local leaves its result where its second operand was, so values move between
// the rooms, and none is copied as long as the order of operands allows it.
class Reduction {
 public:
  // `operand` may be `second` (MPI_IN_PLACE), but not `first`.
  Reduction(const Elements& elements, MPI_Op op, bool commutative, const void* operand, void* first,
            void* second, MPI_Comm comm)
      : elements_(elements),
        op_(op),
        commutative_(commutative),
        value_(operand),
        room_(first),
        other_(second),
        comm_(comm) {}

  const void* value() const { return value_; }
  const void* value(int first) const { return elements_.at(value_, first); }
  // Where to receive the next operand.
  void* room() const { return room_; }
  void* room(int first) const { return elements_.at(room_, first); }

  enum class Received { kPrecedes, kFollows };

  // Reduces these elements with what has arrived in the room, which comes before or after in the
  // order of ranks. All other elements are lost.
  int combine(Part part, Received received);
  int combine(Received received) { return combine({0, elements_.count}, received); }

 private:
  const Elements elements_;
  const MPI_Op op_;
  const bool commutative_;
  const void* value_;
  void* room_;
  void* other_;
  const MPI_Comm comm_;
};

// Copies these elements, unless they are there already.
int copy_part(const Elements& elements, Part part, const void* from, void* to, MPI_Comm comm);

// What every reduction asks first: who calls, one of how many ranks, with which elements, whether
// operands may be reduced in any order, and where this rank's own is.
struct ReductionSetup {
  int rank = 0;
  int size = 0;
  Elements elements;
  bool commutative = false;
  const void* operand = nullptr;

  // Returns an MPI error code.
  int describe(const void* in, const void* out, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm);
};

}  // namespace leadline::coll
