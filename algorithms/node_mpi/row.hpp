// An argument's elements as bytes in a row.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace leadline::node {

// Blocks of `count` elements each, one after the other. Elements of predefined types are taken
// where they lie; others are packed, since ranks may give the same data different datatypes.
class Row {
 public:
  // Returns an MPI error code, as all here.
  int describe(const void* address, int count, MPI_Datatype type, int blocks, MPI_Comm comm);

  std::size_t block_bytes() const { return block_bytes_; }
  // The elements, after `pack` or before `unpack`.
  std::byte* data() const { return data_; }
  std::byte* block(int index) const {
    return data_ + static_cast<std::size_t>(index) * block_bytes_;
  }

  int pack();
  int unpack() { return unpack(block_bytes_); }
  // As many elements of each block as so many bytes are.
  int unpack(std::size_t bytes_of_block);

 private:
  std::byte* elements(int block) const { return address_ + block * block_extent_; }

  std::byte* address_ = nullptr;
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int blocks_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Aint block_extent_ = 0;
  std::size_t block_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::unique_ptr<std::byte[]> packed_;
};

}  // namespace leadline::node
