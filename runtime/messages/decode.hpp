// What a datatype of the program's is made of.
#pragma once

#include <mpi.h>

#include <memory>

#include "runtime/messages/layout.hpp"

namespace leadline::runtime {

struct Decoded {
  // Of MPI's own, all elements of the datatype; MPI_DATATYPE_NULL: they are of several types, or
  // the datatype is made in a way that is left to the library.
  MPI_Datatype element = MPI_DATATYPE_NULL;
  std::size_t element_bytes = 0;
  std::unique_ptr<const Layout> layout;
};

// Whether the library itself named the datatype, so that it is never freed. `type` is valid.
bool is_named(MPI_Datatype type);

// `type` is valid.
Decoded decode(MPI_Datatype type);

}  // namespace leadline::runtime
