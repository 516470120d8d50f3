// The functions that the program would call if leadline were not there.
#pragma once

namespace leadline::runtime {

// The next definition of `name` after the preloaded library's, which may be another tool's;
// nullptr where no library that is loaded has one. A library that was loaded for one module only,
// as Python does, is made visible to all, so that an engine finds its functions.
void* find_in_library(const char* name);

// The path of the first MPI library that the process has loaded; nullptr where there is none.
const char* mpi_library();

// Loads the library of this file's name that lies beside the preloaded one. nullptr where that
// fails, and `why` says so.
void* load_beside(const char* file, const char*& why);

}  // namespace leadline::runtime
