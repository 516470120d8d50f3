// The communicator that the tests hand to algorithms.
#pragma once

#include <mpi.h>

// All ranks, for as long as it lives.
struct Communicator {
  Communicator() {
    MPI_Comm_dup(MPI_COMM_WORLD, &handle);
    MPI_Comm_rank(handle, &rank);
    MPI_Comm_size(handle, &size);
  }
  ~Communicator() { MPI_Comm_free(&handle); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
};
