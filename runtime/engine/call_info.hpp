// What collectives have in common when they inspect a call.
//
// Where one rank declines a call, all must: one that the library carries out on one rank and
// leadline on another never ends. So reasons are about what MPI asks to be alike on all ranks, or
// about what makes the call wrong.
#pragma once

#include <mpi.h>

#include "runtime/engine/replacement.hpp"

namespace leadline::runtime {

// `count` elements of any type at `buffer`.
CallInfo inspect_data(const CommunicatorState& state, const void* buffer, int count,
                      MPI_Datatype type);

// The same for what only some ranks may have none of, or very much: neither is a reason to decline.
CallInfo inspect_part(const CommunicatorState& state, const void* buffer, int count,
                      MPI_Datatype type);

// As many elements of each rank as `counts` says, in all.
CallInfo inspect_parts(const CommunicatorState& state, const void* buffer, const int* counts,
                       const int* offsets, MPI_Datatype type);

// Of a call of whose size ranks know nothing alike: one rule holds for all sizes, and `leadline
// tune` writes one where it finds this name in a collective's file.
inline CallInfo info_without_size(const char* decline_reason = nullptr) {
  return {.bytes = 0, .decline_reason = decline_reason};
}

// A block for each rank, or one for all, sent and received; `in` may be MPI_IN_PLACE.
CallInfo inspect_blocks(const CommunicatorState& state, const void* in, int in_count,
                        MPI_Datatype in_type, const void* out, int out_count,
                        MPI_Datatype out_type);

// Where this rank's block lies among those of all ranks at `blocks`, each of `count` elements.
const void* own_block(const CommunicatorState& state, const void* blocks, int count,
                      MPI_Datatype type);

// The same where blocks differ.
const void* own_block(const CommunicatorState& state, const void* blocks, const int* offsets,
                      MPI_Datatype type);

// Operands of a reduction: left to the library where MPI does not define the operation for the
// type, and where LEADLINE_REPRODUCIBLE asks for the library's order of operands and that matters;
// on several nodes, also operations and types of the program.
CallInfo inspect_operands(const CommunicatorState& state, const void* buffer, int count,
                          MPI_Datatype type, MPI_Op op);

}  // namespace leadline::runtime
