#include "algorithms/collectives/bcast/stream.hpp"

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

int Stream::open(void* data, int count, MPI_Datatype type, std::size_t bytes, bool filled,
                 MPI_Comm comm) {
  bool as_it_lies = false;
  RETURN_IF_FAILED(travels_as_it_lies(type, as_it_lies));
  data_ = data;
  count_ = count;
  type_ = type;
  size_ = bytes;
  bytes_ = static_cast<std::byte*>(data);
  if (as_it_lies) return MPI_SUCCESS;
  RETURN_IF_FAILED(copy_.allocate_bytes(bytes));
  bytes_ = copy_.bytes();
  return filled ? pack(data, count, type, bytes_, bytes, comm) : MPI_SUCCESS;
}

int Stream::deliver(MPI_Comm comm) {
  if (bytes_ == data_) return MPI_SUCCESS;
  return unpack(bytes_, size_, data_, count_, type_, comm);
}

}  // namespace leadline::coll
