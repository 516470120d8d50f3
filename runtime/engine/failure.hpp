// What becomes of an error in an algorithm.
#pragma once

#include <mpi.h>

namespace leadline::runtime {

// The error handler of the program's communicator decides. Where it returns from a lack of memory,
// the program ends: this rank did not take part, and the others wait for it.
void report_failure(const char* collective, MPI_Comm comm, int code);

}  // namespace leadline::runtime
