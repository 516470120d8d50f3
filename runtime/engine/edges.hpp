// What neighbourhood collectives have in common when they weigh a call.
#pragma once

#include <mpi.h>

#include "algorithms/collectives/edge_blocks.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

// Blocks of one length on all edges. Where no edges join some ranks, those may agree on another
// length, and ranks without neighbours may pass anything: there, all calls weigh nothing.
// Collective at the first call for `comm`, the program's own.
Weight weigh_edges(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type,
                   const void* out, int out_count, MPI_Datatype out_type, MPI_Comm comm);

// Blocks whose lengths only the two ends of an edge know: all calls weigh nothing.
Weight weigh_uneven_edges(const Adopted& adopted, const coll::EdgeBlocks& sent,
                          const coll::EdgeBlocks& received, MPI_Comm comm);

}  // namespace leadline::runtime
