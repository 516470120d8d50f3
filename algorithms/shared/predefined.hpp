// MPI's own datatypes and operations, known without asking the library at each call.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "algorithms/shared/kernels.hpp"

namespace leadline {

// Bytes of one element; 0 for a type that is not predefined, or whose elements have gaps.
std::size_t dense_predefined_size(MPI_Datatype type);

// A predefined operation on a dense predefined type.
class Reduction {
 public:
  // False where the operation or the type is of another sort.
  static bool describe(MPI_Datatype type, MPI_Op op, Reduction& reduction);

  std::size_t element_bytes() const { return element_bytes_; }
  // out = left op right: the same result on every rank, wherever the operands lie. `out` may be
  // `left` or `right`.
  void combine(const void* left, const void* right, void* out, std::size_t bytes) {
    if (kernel_ != nullptr) {
      kernel_(left, right, out, bytes / element_bytes_);
    } else {
      combine_by_library(left, right, out, bytes);
    }
  }
  // Of the library's calls, the first that failed.
  int code() const { return code_; }

 private:
  void combine_by_library(const void* left, const void* right, void* out, std::size_t bytes);

  Combine* kernel_ = nullptr;
  std::size_t element_bytes_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  int code_ = MPI_SUCCESS;
};

}  // namespace leadline
