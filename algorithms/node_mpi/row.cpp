#include "algorithms/node_mpi/row.hpp"

#include <new>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/node_mpi/predefined.hpp"

namespace leadline::node {

int Row::describe(const void* address, int count, MPI_Datatype type, int blocks, MPI_Comm comm) {
  // MPI's own functions take data that they only read as void*, too.
  address_ = static_cast<std::byte*>(const_cast<void*>(address));
  data_ = address_;
  if (const std::size_t dense = dense_predefined_size(type); dense != 0) {
    block_bytes_ = dense * static_cast<std::size_t>(count);
    return MPI_SUCCESS;
  }
  int size = 0;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  RETURN_IF_FAILED(PMPI_Type_size(type, &size));
  RETURN_IF_FAILED(PMPI_Type_get_extent(type, &lower_bound, &extent));
  count_ = count;
  type_ = type;
  blocks_ = blocks;
  comm_ = comm;
  block_extent_ = count * extent;
  block_bytes_ = static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
  packed_.reset(new (std::nothrow) std::byte[block_bytes_ * static_cast<std::size_t>(blocks)]);
  data_ = packed_.get();
  return packed_ == nullptr ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

int Row::pack() {
  if (packed_ == nullptr) return MPI_SUCCESS;
  for (int i = 0; i < blocks_; ++i) {
    RETURN_IF_FAILED(coll::pack(elements(i), count_, type_, block(i), block_bytes_, comm_));
  }
  return MPI_SUCCESS;
}

int Row::unpack(std::size_t bytes_of_block) {
  if (packed_ == nullptr || block_bytes_ == 0) return MPI_SUCCESS;
  const std::size_t of_element = block_bytes_ / static_cast<std::size_t>(count_);
  const int count = static_cast<int>(bytes_of_block / of_element);
  for (int i = 0; i < blocks_; ++i) {
    RETURN_IF_FAILED(coll::unpack(block(i), block_bytes_, elements(i), count, type_, comm_));
  }
  return MPI_SUCCESS;
}

}  // namespace leadline::node
