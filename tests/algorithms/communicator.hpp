// The communicators that the tests hand to algorithms.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

// All ranks, for as long as it lives; or some of them, whose order is `key`'s.
struct Communicator {
  Communicator() : Communicator(0, 0) {}
  Communicator(int color, int key) {
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &handle);
    if (handle == MPI_COMM_NULL) return;
    MPI_Comm_rank(handle, &rank);
    MPI_Comm_size(handle, &size);
  }
  ~Communicator() {
    if (handle != MPI_COMM_NULL) MPI_Comm_free(&handle);
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;
  int size = 0;
};

// All ranks, and two thirds of them in another order. A rank sees those that it belongs to.
inline std::vector<std::unique_ptr<Communicator>> communicators() {
  std::vector<std::unique_ptr<Communicator>> all;
  all.push_back(std::make_unique<Communicator>());
  const int rank = all.front()->rank;
  const int size = all.front()->size;
  const bool member = rank % 3 != 1 || size < 3;
  const int key = (size - rank + size / 2) % size;
  auto subset = std::make_unique<Communicator>(member ? 0 : MPI_UNDEFINED, key);
  if (subset->handle != MPI_COMM_NULL) all.push_back(std::move(subset));
  return all;
}
