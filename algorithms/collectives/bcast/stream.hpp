// The data of a broadcast as a stream of bytes that may be cut anywhere.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "algorithms/collectives/elements.hpp"

namespace leadline::coll {

// Ranks may describe the same data by different datatypes, so a cut where an element of one of them
// ends can be in the middle of another's.
class Stream {
 public:
  // The bytes are those of `data` themselves where they travel as they lie, else a copy, which is
  // packed where `filled`.
  int open(void* data, int count, MPI_Datatype type, std::size_t bytes, bool filled, MPI_Comm comm);
  // Unpacks the copy, if there is one.
  int deliver(MPI_Comm comm);

  std::byte* at(std::size_t byte) const { return bytes_ + byte; }
  std::size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
  Scratch copy_;
};

}  // namespace leadline::coll
