// MPI_IN_PLACE of an alltoall: what a rank sends is a copy of what its results replace.
#pragma once

#include <mpi.h>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/elements.hpp"

namespace leadline::coll {

// The blocks that a rank sends.
class Outgoing {
 public:
  int open(const void* in, int in_count, MPI_Datatype in_type, const void* out,
           const Elements& out_block, int size, MPI_Comm comm) {
    if (in != MPI_IN_PLACE) {
      blocks_ = in;
      return describe_elements(in_count, in_type, block_);
    }
    RETURN_IF_FAILED(copy_.allocate(out_block, size));
    blocks_ = copy_.address();
    block_ = out_block;
    for (int rank = 0; rank < size; ++rank) {
      RETURN_IF_FAILED(copy_elements(block_, block_.block(out, rank),
                                     block_.block(copy_.address(), rank), comm));
    }
    return MPI_SUCCESS;
  }
  const void* block_for(int rank) const { return block_.block(blocks_, rank); }
  int count() const { return block_.count; }
  MPI_Datatype type() const { return block_.type; }

 private:
  const void* blocks_ = nullptr;
  Elements block_;
  Scratch copy_;
};

}  // namespace leadline::coll
