// On each node, every rank writes its block to shared memory piece by piece and reads the others'.
// Between nodes, the first rank of each node collects the node's blocks, exchanges them with the
// other first ranks by the library's allgatherv, and broadcasts all on its node.
#include <climits>
#include <vector>

#include "algorithms/collectives/allgather/allgather.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/row.hpp"

namespace leadline::node {
namespace {

int exchange_between_nodes(SharedCommunicator& shared, std::byte* by_place, std::size_t bytes) {
  const int block = static_cast<int>(bytes);
  std::vector<int> counts;
  std::vector<int> offsets;
  for (int node = 0; node < shared.nodes(); ++node) {
    counts.push_back(shared.ranks_on_node(node) * block);
    offsets.push_back(shared.first_place(node) * block);
  }
  return PMPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, by_place, counts.data(),
                         offsets.data(), MPI_BYTE, shared.leaders());
}

int between_nodes(SharedCommunicator& shared, const void* in, std::byte* out, std::size_t bytes) {
  const std::size_t total = bytes * static_cast<std::size_t>(shared.size());
  Node& node = shared.node();
  if (!shared.leads()) {
    gather(node, in, nullptr, bytes, 0);
    bcast(node, out, total, 0);
    return MPI_SUCCESS;
  }
  std::vector<std::byte> unsorted(shared.in_order() ? 0 : total);
  std::byte* const by_place = shared.in_order() ? out : unsorted.data();
  const auto first = static_cast<std::size_t>(shared.first_place(shared.this_node()));
  gather(node, in, by_place + first * bytes, bytes, 0);
  const int code = exchange_between_nodes(shared, by_place, bytes);
  if (!shared.in_order()) shared.sort_by_rank(by_place, out, bytes);
  bcast(node, out, total, 0);
  return code;
}

int allgather_shared(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                     MPI_Datatype out_type, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  int size = 0;
  Row sent;
  Row received;
  if (out_count < 0 || (in != MPI_IN_PLACE && in_count < 0)) {
    return coll::allgather_ring(in, in_count, in_type, out, out_count, out_type, comm);
  }
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  RETURN_IF_FAILED(received.describe(out, out_count, out_type, size, comm));
  if (in != MPI_IN_PLACE) RETURN_IF_FAILED(sent.describe(in, in_count, in_type, 1, comm));
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  const std::size_t bytes = received.block_bytes();
  if (bytes == 0) return MPI_SUCCESS;
  if (shared == nullptr || bytes > INT_MAX / static_cast<std::size_t>(size)) {
    return PMPI_Allgather(in, in_count, in_type, out, out_count, out_type, comm);
  }
  // In place, a rank's own block is packed with all the others.
  RETURN_IF_FAILED((in == MPI_IN_PLACE ? received : sent).pack());
  const std::byte* mine = in == MPI_IN_PLACE ? received.block(shared->rank()) : sent.data();
  if (shared->one_node()) {
    allgather(shared->node(), mine, received.data(), bytes);
  } else {
    RETURN_IF_FAILED(between_nodes(*shared, mine, received.data(), bytes));
  }
  RETURN_IF_FAILED(received.unpack());
  return shared->finish();
}

const coll::AllgatherAlgorithm shared{
    "shared",
    "node-aware: pieces through shared memory on each node, the library between the nodes' first "
    "ranks",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    allgather_shared};

}  // namespace
}  // namespace leadline::node
