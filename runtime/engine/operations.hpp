// Which reductions MPI allows, and which of them give the same in any order of operands.
#pragma once

#include <mpi.h>

namespace leadline::runtime {

enum class Order {
  kUnknown,  // not a predefined operation on a predefined type for which MPI defines it
  kFree,     // the same to the last bit, whatever the order
  kMatters,  // rounding, signs of zero or NaNs tell orders apart
};

Order order_of(MPI_Datatype type, MPI_Op op);

// Whether the operation is one of MPI's own.
bool is_predefined(MPI_Op op);

}  // namespace leadline::runtime
