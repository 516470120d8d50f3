// Empty messages.
#pragma once

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

inline int send_signal(int to, MPI_Comm comm) {
  return PMPI_Send(nullptr, 0, MPI_BYTE, to, kAlgorithmTag, comm);
}

inline int receive_signal(int from, MPI_Comm comm) {
  return PMPI_Recv(nullptr, 0, MPI_BYTE, from, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
}

inline int exchange_signals(int to, int from, MPI_Comm comm) {
  return PMPI_Sendrecv(nullptr, 0, MPI_BYTE, to, kAlgorithmTag, nullptr, 0, MPI_BYTE, from,
                       kAlgorithmTag, comm, MPI_STATUS_IGNORE);
}

}  // namespace leadline::coll
