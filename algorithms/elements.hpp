// Elements of any datatype in memory: where they lie, room for them, and copies.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace leadline {

// Where `count` elements lie, in bytes from the address that an MPI call is given.
struct Elements {
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint extent = 0;    // from one element to the next
  MPI_Aint lowest = 0;    // the first byte of data; negative for some derived types
  std::size_t bytes = 0;  // from there to the last byte of data
  bool dense = false;     // no byte between these two belongs to somebody else

  void* at(void* buffer, int index) const {
    return static_cast<std::byte*>(buffer) + index * extent;
  }
};

// Returns an MPI error code, as all here.
int describe_elements(int count, MPI_Datatype type, Elements& elements);

// `comm` is the communicator of the algorithm: it carries data that are not dense.
int copy_elements(const Elements& elements, const void* from, void* to, MPI_Comm comm);

// Memory for elements.
class Scratch {
 public:
  // MPI_ERR_NO_MEM when there is not enough.
  int allocate(const Elements& elements);
  // To be given to MPI calls with the elements' type and count.
  void* address() const { return address_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  void* address_ = nullptr;
};

}  // namespace leadline
