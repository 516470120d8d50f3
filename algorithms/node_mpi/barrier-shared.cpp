// On each node, a rank tells the others that it has come by a number in a cache line of its own,
// and waits for theirs. Between nodes, the first ranks of the nodes do the library's barrier; the
// others wait for them in a second round.
#include "algorithms/collectives/barrier/barrier.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"

namespace leadline::node {
namespace {

int barrier_shared(MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr) return PMPI_Barrier(comm);
  Node& node = shared->node();
  if (shared->one_node()) {
    barrier(node);
  } else {
    node_arrive(node);
    const int met = shared->leads() ? PMPI_Barrier(shared->leaders()) : MPI_SUCCESS;
    node_leave(node);
    RETURN_IF_FAILED(met);
  }
  return shared->finish();
}

const coll::BarrierAlgorithm shared{
    "shared",
    "node-aware: flags in shared memory on each node, the library between the nodes' first ranks",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    barrier_shared};

}  // namespace
}  // namespace leadline::node
