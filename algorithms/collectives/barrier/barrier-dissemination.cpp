// In step k each rank tells the one 2^k places ahead that it and all it has heard of have come, and
// hears from the one 2^k places behind: ceil(log2(P)) empty messages a rank, for any P.
#include "algorithms/collectives/barrier/barrier.hpp"
#include "algorithms/collectives/barrier/signal.hpp"

namespace leadline::coll {
namespace {

int barrier_dissemination(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  // A distance below a size that fits an int doubles to at most 2^31.
  for (unsigned distance = 1; distance < static_cast<unsigned>(size); distance *= 2) {
    const int step = static_cast<int>(distance);
    const int ahead = step < size - rank ? rank + step : rank + step - size;
    const int behind = rank < step ? rank - step + size : rank - step;
    RETURN_IF_FAILED(exchange_signals(ahead, behind, comm));
  }
  return MPI_SUCCESS;
}

const BarrierAlgorithm dissemination{
    "dissemination", "ceil(log2(P)) exchanges of empty messages on MPI_Sendrecv",
    "Hensgen, Finkel, Manber: Two Algorithms for Barrier Synchronization, IJPP 17(1), 1988",
    barrier_dissemination};

}  // namespace
}  // namespace leadline::coll
