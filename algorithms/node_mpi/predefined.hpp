// MPI's own datatypes and operations, known without asking the library at each call.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "algorithms/node/reducer.hpp"

namespace leadline::node {

// Bytes of one element; 0 for a type that is not predefined, or whose elements have gaps.
std::size_t dense_predefined_size(MPI_Datatype type);

// A predefined operation on a dense predefined type.
class Reduction final : public Reducer {
 public:
  Reduction() = default;
  // False where the operation or the type is of another sort.
  static bool describe(MPI_Datatype type, MPI_Op op, Reduction& reduction);

  // Of the library's calls, the first that failed.
  int code() const { return code_; }

 private:
  Reduction(Combine* kernel, std::size_t element_bytes, MPI_Datatype type, MPI_Op op)
      : Reducer(kernel, element_bytes), type_(type), op_(op) {}
  void combine_without_kernel(const void* left, const void* right, void* out,
                              std::size_t bytes) override;

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  int code_ = MPI_SUCCESS;
};

}  // namespace leadline::node
