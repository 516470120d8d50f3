// On one node, every rank writes its block to shared memory piece by piece and reads the others'.
// Between nodes, the library's own.
#include <algorithm>

#include "algorithms/collectives/allgatherv/allgatherv.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/parts.hpp"
#include "algorithms/node_mpi/row.hpp"

namespace leadline::node {
namespace {

int allgatherv_shared(const void* in, int in_count, MPI_Datatype in_type, void* out,
                      const int* counts, const int* offsets, MPI_Datatype out_type, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !shared->one_node()) {
    return PMPI_Allgatherv(in, in_count, in_type, out, counts, offsets, out_type, comm);
  }
  const int rank = shared->rank();
  Row sent;
  Parts received;
  RETURN_IF_FAILED(received.describe(out, counts, offsets, out_type, shared->size(), comm));
  if (in != MPI_IN_PLACE) RETURN_IF_FAILED(sent.describe(in, in_count, in_type, 1, comm));
  if (received.most() == 0) return MPI_SUCCESS;
  if (in != MPI_IN_PLACE && sent.block_bytes() != received.bytes(rank)) return MPI_ERR_TRUNCATE;
  RETURN_IF_FAILED(in == MPI_IN_PLACE ? received.pack(rank) : sent.pack());
  const std::byte* mine = in == MPI_IN_PLACE ? received.block(rank) : sent.data();
  allgatherv(shared->node(), mine, received.data(), received.places());
  RETURN_IF_FAILED(received.unpack());
  return shared->finish();
}

const coll::AllgathervAlgorithm shared{
    "shared", "pieces through shared memory on one node; the library's between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    allgatherv_shared};

}  // namespace
}  // namespace leadline::node
