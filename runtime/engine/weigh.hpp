// What collectives have in common when they weigh a call.
//
// Where one rank doubts, all must: a call that the library carries out on one rank and leadline on
// another never ends. So doubts are about what MPI asks to be alike on all ranks, or about what
// makes the call wrong.
#pragma once

#include <mpi.h>

#include "runtime/engine/replacement.hpp"

namespace leadline::runtime {

// `count` elements of any type at `buffer`.
Weight weigh_data(const Adopted& adopted, const void* buffer, int count, MPI_Datatype type);

// The same for what only some ranks may have none of, or very much: neither is a doubt.
Weight weigh_part(const Adopted& adopted, const void* buffer, int count, MPI_Datatype type);

// As many elements of each rank as `counts` says, in all.
Weight weigh_parts(const Adopted& adopted, const void* buffer, const int* counts,
                   const int* offsets, MPI_Datatype type);

// Of a call of whose size ranks know nothing alike: one rule holds for all sizes, and `leadline
// tune` writes one where it finds this name in a collective's file.
inline Weight weigh_as_none(const char* doubt = nullptr) { return {.bytes = 0, .doubt = doubt}; }

// A block for each rank, or one for all, sent and received; `in` may be MPI_IN_PLACE.
Weight weigh_blocks(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type,
                    const void* out, int out_count, MPI_Datatype out_type);

// Where this rank's block lies among those of all ranks at `blocks`, each of `count` elements.
const void* own_block(const Adopted& adopted, const void* blocks, int count, MPI_Datatype type);

// The same where blocks differ.
const void* own_block(const Adopted& adopted, const void* blocks, const int* offsets,
                      MPI_Datatype type);

// Operands of a reduction: left to the library where MPI does not define the operation for the
// type, and where LEADLINE_REPRODUCIBLE asks for the library's order of operands and that matters;
// on several nodes, also operations and types of the program.
Weight weigh_operands(const Adopted& adopted, const void* buffer, int count, MPI_Datatype type,
                      MPI_Op op);

}  // namespace leadline::runtime
