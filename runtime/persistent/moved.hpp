// Blocks that persistent collectives move: those of MPI's own types, since the program may free one
// of its own while the request lives.
#pragma once

#include <mpi.h>

#include "algorithms/node_mpi/predefined.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

inline Weight weigh_persistent_blocks(const Adopted& adopted, const void* in, int in_count,
                                      MPI_Datatype in_type, const void* out, int out_count,
                                      MPI_Datatype out_type) {
  const Weight weight = weigh_blocks(adopted, in, in_count, in_type, out, out_count, out_type);
  if (weight.doubt != nullptr) return weight;
  if (in == out) return {.doubt = "same buffer twice"};
  const bool known = node::dense_predefined_size(out_type) != 0 &&
                     (in == MPI_IN_PLACE || node::dense_predefined_size(in_type) != 0);
  return known ? weight : Weight{.bytes = weight.bytes, .doubt = "datatype"};
}

}  // namespace leadline::runtime
