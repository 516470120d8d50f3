// Elements of any datatype in memory: where they lie, room for them, and copies.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <memory>

namespace leadline::coll {

// Where `count` elements lie, in bytes from the address that an MPI call is given.
struct Elements {
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint extent = 0;    // from one element to the next
  MPI_Aint lowest = 0;    // the first byte of data; negative for some derived types
  std::size_t bytes = 0;  // from there to the last byte of data
  std::size_t data = 0;   // bytes of data alone, as they travel
  bool dense = false;     // no byte between these two belongs to somebody else

  void* at(void* buffer, MPI_Aint index) const {
    return static_cast<std::byte*>(buffer) + index * extent;
  }
  const void* at(const void* buffer, MPI_Aint index) const {
    return static_cast<const std::byte*>(buffer) + index * extent;
  }
  // Where the block of a rank begins, in a buffer that has as many elements for each rank.
  void* block(void* buffer, int rank) const { return at(buffer, MPI_Aint{count} * rank); }
  const void* block(const void* buffer, int rank) const {
    return at(buffer, MPI_Aint{count} * rank);
  }
};

// Returns an MPI error code, as all here.
int describe_elements(int count, MPI_Datatype type, Elements& elements);

// `comm` is the communicator of the algorithm: it carries data that are not dense.
int copy_elements(const Elements& elements, const void* from, void* to, MPI_Comm comm);

// From elements of one datatype to those of another that describes the same data.
int copy_data(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
              MPI_Datatype to_type, MPI_Comm comm);

// Data in the form in which they travel: a rank that passes on what others sent, or cuts a message
// where no element ends, cannot use a datatype of its own for it, since that of another rank may
// be laid out differently, and elements that are only sent may even overlap. Such data have type
// MPI_PACKED and as many bytes as all ranks agree on.
//
// Whether the bytes in memory are in that form already: a predefined type without gaps. Others are
// packed, though some need not be.
int travels_as_it_lies(MPI_Datatype type, bool& as_it_lies);
int pack(const void* from, int count, MPI_Datatype type, void* to, std::size_t bytes,
         MPI_Comm comm);
int unpack(const void* from, std::size_t bytes, void* to, int count, MPI_Datatype type,
           MPI_Comm comm);

// Whether a message of so many bytes has a count that MPI's int can hold. All ranks of a collective
// know the same sum of bytes, however each describes them, so they agree on the answer.
inline bool fits_a_message(std::size_t bytes) { return bytes <= INT_MAX; }

// Elements that belong to one rank, or to one position: the first have one more where they cannot
// be shared evenly.
struct Part {
  int first;
  int count;
};

inline Part part_of(int position, int positions, int count) {
  const int least = count / positions;
  const int longer = count % positions;
  return {.first = position * least + std::min(position, longer),
          .count = least + (position < longer ? 1 : 0)};
}

// Memory for elements.
class Scratch {
 public:
  // MPI_ERR_NO_MEM when there is not enough.
  int allocate(const Elements& elements);
  // A block of elements for each of so many ranks.
  int allocate(const Elements& elements, int blocks);
  int allocate_bytes(std::size_t bytes);
  // To be given to MPI calls with the elements' type and count. Aligned for any datatype.
  void* address() const { return address_; }
  std::byte* bytes() const { return static_cast<std::byte*>(address_); }

 private:
  int allocate(MPI_Aint lowest, std::size_t bytes);

  std::unique_ptr<std::byte[]> memory_;
  void* address_ = nullptr;
};

}  // namespace leadline::coll
