// An argument's blocks of different sizes, as bytes in a row or where they lie.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "algorithms/node/node_collectives.hpp"

namespace leadline::node {

// Elements of predefined types are taken where they lie; others are packed, one block after the
// other.
class Parts {
 public:
  // `counts` and `offsets` are for so many ranks, offsets in elements. Returns an MPI error code,
  // as all here.
  int describe(const void* address, const int* counts, const int* offsets, MPI_Datatype type,
               int ranks, MPI_Comm comm);

  const std::vector<Place>& places() const { return places_; }
  std::size_t most() const;
  // What the places are in, after `pack` or before `unpack`.
  std::byte* data() const { return data_; }
  std::byte* block(int rank) const { return data_ + place(rank).offset; }
  std::size_t bytes(int rank) const { return place(rank).bytes; }

  int pack();
  int pack(int rank);
  int unpack();

 private:
  const Place& place(int rank) const { return places_[static_cast<std::size_t>(rank)]; }
  // Calls `carry_out(elements, how many, packed, bytes)` with as much as MPI can pack at a time.
  template <typename CarryOut>
  int in_pieces(int rank, const CarryOut& carry_out) const;

  std::byte* address_ = nullptr;
  std::byte* data_ = nullptr;
  const int* counts_ = nullptr;
  const int* offsets_ = nullptr;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Aint extent_ = 0;
  std::size_t size_ = 0;
  std::vector<Place> places_;
  std::unique_ptr<std::byte[]> packed_;
};

}  // namespace leadline::node
