#include "algorithms/elements.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "algorithms/algorithm.hpp"

namespace leadline {

int describe_elements(int count, MPI_Datatype type, Elements& elements) {
  MPI_Aint lower_bound = 0;
  MPI_Aint true_extent = 0;
  int size = 0;
  elements.count = count;
  elements.type = type;
  RETURN_IF_FAILED(PMPI_Type_get_extent(type, &lower_bound, &elements.extent));
  RETURN_IF_FAILED(PMPI_Type_get_true_extent(type, &lower_bound, &true_extent));
  RETURN_IF_FAILED(PMPI_Type_size(type, &size));
  if (count == 0 || size == 0) return MPI_SUCCESS;
  const MPI_Aint last = (count - 1) * elements.extent;
  elements.lowest = lower_bound + std::min<MPI_Aint>(0, last);
  elements.bytes = static_cast<std::size_t>(true_extent + std::max(last, -last));
  elements.dense = size == true_extent && (count == 1 || elements.extent == true_extent);
  return MPI_SUCCESS;
}

int copy_elements(const Elements& elements, const void* from, void* to, MPI_Comm comm) {
  if (elements.bytes == 0) return MPI_SUCCESS;
  if (elements.dense) {
    std::memcpy(static_cast<std::byte*>(to) + elements.lowest,
                static_cast<const std::byte*>(from) + elements.lowest, elements.bytes);
    return MPI_SUCCESS;
  }
  int rank = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  return PMPI_Sendrecv(from, elements.count, elements.type, rank, kAlgorithmTag, to, elements.count,
                       elements.type, rank, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
}

int Scratch::allocate(const Elements& elements) {
  memory_.reset(new (std::nothrow) std::byte[elements.bytes]);
  if (memory_ == nullptr) return MPI_ERR_NO_MEM;
  address_ = memory_.get() - elements.lowest;
  return MPI_SUCCESS;
}

}  // namespace leadline
