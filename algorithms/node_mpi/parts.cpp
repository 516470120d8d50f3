#include "algorithms/node_mpi/parts.hpp"

#include <algorithm>
#include <climits>
#include <new>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/node_mpi/predefined.hpp"

namespace leadline::node {

int Parts::describe(const void* address, const int* counts, const int* offsets, MPI_Datatype type,
                    int ranks, MPI_Comm comm) {
  // MPI's own functions take data that they only read as void*, too.
  address_ = static_cast<std::byte*>(const_cast<void*>(address));
  data_ = address_;
  counts_ = counts;
  offsets_ = offsets;
  type_ = type;
  comm_ = comm;
  size_ = dense_predefined_size(type);
  const bool dense = size_ != 0;
  if (!dense) {
    int size = 0;
    MPI_Aint lower_bound = 0;
    RETURN_IF_FAILED(PMPI_Type_size(type, &size));
    RETURN_IF_FAILED(PMPI_Type_get_extent(type, &lower_bound, &extent_));
    size_ = static_cast<std::size_t>(size);
  }
  std::size_t end = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::size_t bytes = size_ * static_cast<std::size_t>(counts[rank]);
    // Offsets may be negative: unsigned numbers wrap back.
    const std::size_t at = dense ? size_ * static_cast<std::size_t>(offsets[rank]) : end;
    places_.push_back({.offset = bytes > 0 ? at : 0, .bytes = bytes});
    end += bytes;
  }
  if (dense) return MPI_SUCCESS;
  packed_.reset(new (std::nothrow) std::byte[end]);
  data_ = packed_.get();
  return packed_ == nullptr ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

std::size_t Parts::most() const {
  std::size_t most = 0;
  for (const Place& each : places_) most = std::max(most, each.bytes);
  return most;
}

template <typename CarryOut>
int Parts::in_pieces(int rank, const CarryOut& carry_out) const {
  if (packed_ == nullptr || size_ == 0) return MPI_SUCCESS;
  const int most = static_cast<int>(std::max<std::size_t>(1, INT_MAX / size_));
  for (int done = 0; done < counts_[rank];) {
    const int now = std::min(most, counts_[rank] - done);
    std::byte* const elements = address_ + (MPI_Aint{offsets_[rank]} + done) * extent_;
    const std::size_t before = size_ * static_cast<std::size_t>(done);
    RETURN_IF_FAILED(
        carry_out(elements, now, block(rank) + before, size_ * static_cast<std::size_t>(now)));
    done += now;
  }
  return MPI_SUCCESS;
}

int Parts::pack(int rank) {
  return in_pieces(rank, [&](const std::byte* elements, int now, std::byte* to, std::size_t bytes) {
    return coll::pack(elements, now, type_, to, bytes, comm_);
  });
}

int Parts::pack() {
  for (int rank = 0; rank < static_cast<int>(places_.size()); ++rank) RETURN_IF_FAILED(pack(rank));
  return MPI_SUCCESS;
}

int Parts::unpack() {
  for (int rank = 0; rank < static_cast<int>(places_.size()); ++rank) {
    RETURN_IF_FAILED(in_pieces(
        rank, [&](std::byte* elements, int now, const std::byte* from, std::size_t bytes) {
          return coll::unpack(from, bytes, elements, now, type_, comm_);
        }));
  }
  return MPI_SUCCESS;
}

}  // namespace leadline::node
