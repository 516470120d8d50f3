#include "algorithms/collectives/elements.hpp"

#include <cstdint>
#include <cstring>
#include <new>

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {
namespace {

// A cache line, and more than any element of C asks for.
constexpr std::size_t kAlignment = 64;

// Types that were made with counts of MPI_Count are asked for in that way only, and answer the
// other ones, too.
int find_combiner(MPI_Datatype type, int& combiner) {
#if MPI_VERSION >= 4
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  return PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
#else
  int integers = 0;
  int addresses = 0;
  int types = 0;
  return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
#endif
}

int copy_by_message(const void* from, int from_count, MPI_Datatype from_type, void* to,
                    int to_count, MPI_Datatype to_type, MPI_Comm comm) {
  int rank = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  return PMPI_Sendrecv(from, from_count, from_type, rank, kAlgorithmTag, to, to_count, to_type,
                       rank, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
}

}  // namespace

int describe_elements(int count, MPI_Datatype type, Elements& elements) {
  MPI_Aint lower_bound = 0;
  MPI_Aint true_extent = 0;
  int size = 0;
  elements = {};
  elements.count = count;
  elements.type = type;
  RETURN_IF_FAILED(PMPI_Type_get_extent(type, &lower_bound, &elements.extent));
  RETURN_IF_FAILED(PMPI_Type_get_true_extent(type, &lower_bound, &true_extent));
  RETURN_IF_FAILED(PMPI_Type_size(type, &size));
  if (count == 0 || size == 0) return MPI_SUCCESS;
  const MPI_Aint last = (count - 1) * elements.extent;
  elements.lowest = lower_bound + std::min<MPI_Aint>(0, last);
  elements.bytes = static_cast<std::size_t>(true_extent + std::max(last, -last));
  elements.data = static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
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
  return copy_by_message(from, elements.count, elements.type, to, elements.count, elements.type,
                         comm);
}

int copy_data(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
              MPI_Datatype to_type, MPI_Comm comm) {
  bool from_as_it_lies = false;
  bool to_as_it_lies = false;
  RETURN_IF_FAILED(travels_as_it_lies(from_type, from_as_it_lies));
  RETURN_IF_FAILED(travels_as_it_lies(to_type, to_as_it_lies));
  if (!from_as_it_lies || !to_as_it_lies) {
    return copy_by_message(from, from_count, from_type, to, to_count, to_type, comm);
  }
  Elements elements;
  RETURN_IF_FAILED(describe_elements(to_count, to_type, elements));
  return copy_elements(elements, from, to, comm);
}

int travels_as_it_lies(MPI_Datatype type, bool& as_it_lies) {
  int combiner = 0;
  RETURN_IF_FAILED(find_combiner(type, combiner));
  Elements one;
  RETURN_IF_FAILED(describe_elements(1, type, one));
  as_it_lies = combiner == MPI_COMBINER_NAMED && one.dense && one.lowest == 0 &&
               static_cast<std::size_t>(one.extent) == one.bytes;
  return MPI_SUCCESS;
}

namespace {

// Calls `carry_out(data, count, type)` with another description of elements at MPI_BOTTOM, as seen
// from any address: MPICH 4.0 packs nothing there.
template <typename CarryOut>
int away_from_bottom(void* data, int count, MPI_Datatype type, const CarryOut& carry_out) {
  MPI_Aint address = 0;
  RETURN_IF_FAILED(PMPI_Get_address(data, &address));
  const MPI_Aint back = -address;
  MPI_Datatype seen = MPI_DATATYPE_NULL;
  RETURN_IF_FAILED(PMPI_Type_create_hindexed(1, &count, &back, type, &seen));
  int code = PMPI_Type_commit(&seen);
  if (code == MPI_SUCCESS) code = carry_out(data, 1, seen);
  const int freed = PMPI_Type_free(&seen);
  return code != MPI_SUCCESS ? code : freed;
}

}  // namespace

int pack(const void* from, int count, MPI_Datatype type, void* to, std::size_t bytes,
         MPI_Comm comm) {
  bool as_it_lies = false;
  RETURN_IF_FAILED(travels_as_it_lies(type, as_it_lies));
  if (as_it_lies) {
    std::memcpy(to, from, bytes);
    return MPI_SUCCESS;
  }
  int position = 0;
  const auto carry_out = [&](const void* data, int n, MPI_Datatype of) {
    return PMPI_Pack(data, n, of, to, static_cast<int>(bytes), &position, comm);
  };
  if (from != MPI_BOTTOM) return carry_out(from, count, type);
  return away_from_bottom(to, count, type, carry_out);
}

int unpack(const void* from, std::size_t bytes, void* to, int count, MPI_Datatype type,
           MPI_Comm comm) {
  bool as_it_lies = false;
  RETURN_IF_FAILED(travels_as_it_lies(type, as_it_lies));
  if (as_it_lies) {
    std::memcpy(to, from, bytes);
    return MPI_SUCCESS;
  }
  int position = 0;
  const auto carry_out = [&](void* data, int n, MPI_Datatype of) {
    return PMPI_Unpack(from, static_cast<int>(bytes), &position, data, n, of, comm);
  };
  if (to != MPI_BOTTOM) return carry_out(to, count, type);
  return away_from_bottom(const_cast<void*>(from), count, type, carry_out);
}

int Scratch::allocate(const Elements& elements) {
  return allocate(elements.lowest, elements.bytes);
}

int Scratch::allocate(const Elements& elements, int blocks) {
  if (elements.bytes == 0 || blocks == 0) return allocate(0, 0);
  const MPI_Aint last = (blocks - 1) * (elements.count * elements.extent);
  return allocate(elements.lowest + std::min<MPI_Aint>(0, last),
                  elements.bytes + static_cast<std::size_t>(std::max(last, -last)));
}

int Scratch::allocate_bytes(std::size_t bytes) { return allocate(0, bytes); }

int Scratch::allocate(MPI_Aint lowest, std::size_t bytes) {
  memory_.reset(new (std::nothrow) std::byte[bytes + kAlignment]);
  if (memory_ == nullptr) return MPI_ERR_NO_MEM;
  // What is aligned is the address that MPI is given, as it would be in a program's own memory.
  const auto address =
      reinterpret_cast<std::uintptr_t>(memory_.get()) - static_cast<std::uintptr_t>(lowest);
  address_ = memory_.get() - lowest + (kAlignment - address % kAlignment) % kAlignment;
  return MPI_SUCCESS;
}

}  // namespace leadline::coll
