// In step k each rank exchanges an empty message with the rank whose number differs in bit k:
// log2(P) steps, the first ones between near ranks.
//
// Where P is no power of two, ranks that stand for a pair hear of the other before, and release it
// after.
#include "algorithms/collectives/barrier/barrier.hpp"
#include "algorithms/collectives/barrier/signal.hpp"
#include "algorithms/collectives/hypercube.hpp"

namespace leadline::coll {
namespace {

int barrier_recursive_doubling(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  const Hypercube cube(rank, size);
  if (cube.waits()) {
    RETURN_IF_FAILED(send_signal(cube.other_of_pair(), comm));
    return receive_signal(cube.other_of_pair(), comm);
  }
  if (cube.paired()) RETURN_IF_FAILED(receive_signal(cube.other_of_pair(), comm));
  for (int bit = 1; bit < cube.corners(); bit *= 2) {
    RETURN_IF_FAILED(exchange_signals(cube.neighbour(bit), cube.neighbour(bit), comm));
  }
  return cube.paired() ? send_signal(cube.other_of_pair(), comm) : MPI_SUCCESS;
}

const BarrierAlgorithm recursive_doubling{
    "recursive_doubling", "log2(P) exchanges of empty messages along the edges of a hypercube",
    "Brooks: The Butterfly Barrier, IJPP 15(4), 1986", barrier_recursive_doubling};

}  // namespace
}  // namespace leadline::coll
