// Whether what was compiled with one MPI's header understands the library that was loaded.
#pragma once

#include <string>

namespace leadline::probe {

// What the header and the library disagree on: handles, sizes of datatypes, the layout of
// MPI_Status, error classes, other constants; empty where they agree. MPI must be initialised. The
// calling rank alone is asked, in less than a millisecond.
std::string abi_difference();

}  // namespace leadline::probe

// Prints "ok", or what differs, and returns 0 or 1: what the loader calls for `--self-test`.
extern "C" int leadline_self_test(int argc, char** argv);
