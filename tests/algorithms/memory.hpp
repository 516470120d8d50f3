// Memory that shows every byte which an algorithm should not have written, and datatypes that say
// where in it the data lie.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// A datatype for the duration of a test.
struct Type {
  const char* name;
  MPI_Datatype handle;
  // Of these elements in what a test counts as one: signatures of different types must match.
  int multiple;
};

// Types with the same data in each element, two MPI_UINT64_T. Committed at the first call, and not
// freed before MPI is finalised.
const std::vector<Type>& types_of_two_numbers();
// The same, and some more whose elements overlap, so that they may only be sent.
const std::vector<Type>& types_to_send_two_numbers();
// What the standard predefines in C.
const std::vector<Type>& predefined_types();

// The data of so many blocks of elements, with other bytes around them and between.
class Area {
 public:
  // Different seeds have different bytes everywhere.
  Area(const Type& type, int count, int blocks, std::uint64_t seed);

  // To be given to MPI with type() and count(), which are those of one block.
  void* address() { return bytes_.data() + origin_; }
  void* block(int index);
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

  bool operator==(const Area&) const = default;

 private:
  MPI_Datatype type_;
  int count_;
  MPI_Aint extent_;
  std::size_t origin_;
  std::vector<std::byte> bytes_;
};

// Copies one block, on this rank alone.
void copy_block(Area& from, int from_block, Area& to, int to_block);
