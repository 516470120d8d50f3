// All messages at once, and one wait for all of them. Each rank begins with its neighbours, so that
// not all send to rank 0 first.
#include <memory>
#include <new>

#include "algorithms/collectives/alltoall/alltoall.hpp"
#include "algorithms/collectives/alltoall/in_place.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

int alltoall_linear(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                    MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(out_count, out_type, comm));
  const auto& [rank, size, block] = shape;
  Outgoing outgoing;
  if (block.data == 0) return MPI_SUCCESS;
  RETURN_IF_FAILED(outgoing.open(in, in_count, in_type, out, block, size, comm));
  if (in != MPI_IN_PLACE) {
    RETURN_IF_FAILED(copy_data(outgoing.block_for(rank), in_count, in_type, block.block(out, rank),
                               out_count, out_type, comm));
  }
  const int messages = 2 * (size - 1);
  const std::unique_ptr<MPI_Request[]> requests(new (std::nothrow) MPI_Request[messages]);
  if (requests == nullptr) return MPI_ERR_NO_MEM;
  MPI_Request* request = requests.get();
  for (int step = 1; step < size; ++step) {
    const int sender = (rank + size - step) % size;
    RETURN_IF_FAILED(PMPI_Irecv(block.block(out, sender), out_count, out_type, sender,
                                kAlgorithmTag, comm, request++));
  }
  for (int step = 1; step < size; ++step) {
    const int receiver = (rank + step) % size;
    RETURN_IF_FAILED(PMPI_Isend(outgoing.block_for(receiver), outgoing.count(), outgoing.type(),
                                receiver, kAlgorithmTag, comm, request++));
  }
  return PMPI_Waitall(messages, requests.get(), MPI_STATUSES_IGNORE);
}

const AlltoallAlgorithm linear{
    "linear", "all non-blocking receives and sends at once",
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra: Performance Analysis of MPI "
    "Collective Operations, Cluster Computing 10(2), 2007",
    alltoall_linear};

}  // namespace
}  // namespace leadline::coll
