// What collectives have in common when they weigh a call.
#pragma once

#include <mpi.h>

#include "runtime/engine/replacement.hpp"

namespace leadline {

// `count` elements of any type at `buffer`.
Weight weigh_data(const void* buffer, int count, MPI_Datatype type);

// The same for operands of a reduction: left to the library unless type and operation are MPI's
// own, and where LEADLINE_REPRODUCIBLE asks for the library's order of operands and that matters.
Weight weigh_operands(const void* buffer, int count, MPI_Datatype type, MPI_Op op);

}  // namespace leadline
