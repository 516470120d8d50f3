// One way to call the algorithms of all collectives, for tests that ask the same of each.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

// With `count` elements in each block, from and to rank 0 where there is a root.
struct Arguments {
  int count = 1;
  MPI_Datatype type = MPI_INT;
  MPI_Op op = MPI_SUM;
  MPI_Comm comm = MPI_COMM_NULL;
};

struct AnyAlgorithm {
  std::string name;  // COLLECTIVE/ALGORITHM
  bool has_data;     // not a barrier
  bool reduces;
  // Returns what the algorithm returns. Room for 16 ranks and 4096 bytes in each block.
  std::function<int(const Arguments&)> call;
};

std::vector<AnyAlgorithm> every_algorithm();
// Fails the test when there is none of that name.
AnyAlgorithm algorithm_named(const std::string& name);
