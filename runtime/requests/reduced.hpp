// Operands of reductions that end later: the program may free an operation or a type of its own
// before, so only MPI's own are taken.
#pragma once

#include <mpi.h>

#include "algorithms/node_mpi/predefined.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

inline Weight weigh_own_operands(const Adopted& adopted, const void* buffer, int count,
                                 MPI_Datatype type, MPI_Op op) {
  const Weight weight = weigh_operands(adopted, buffer, count, type, op);
  node::Reduction reduction;
  if (weight.doubt != nullptr || node::Reduction::describe(type, op, reduction)) return weight;
  return {.bytes = weight.bytes, .doubt = "operation or datatype"};
}

inline node::Reduction own_reduction(MPI_Datatype type, MPI_Op op) {
  node::Reduction reduction;
  node::Reduction::describe(type, op, reduction);
  return reduction;
}

}  // namespace leadline::runtime
