// What every algorithm asks first.
#pragma once

#include <mpi.h>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/elements.hpp"

namespace leadline::coll {

// Who calls, one of how many ranks, with which elements: all of them, or one rank's block.
struct Shape {
  int rank = 0;
  int size = 0;
  Elements elements;

  // Returns an MPI error code.
  int describe(int count, MPI_Datatype type, MPI_Comm comm) {
    RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
    RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
    return describe_elements(count, type, elements);
  }
  // Where the root says how a block lies with these, and others with those of their own.
  int describe_rooted(int root, int root_count, MPI_Datatype root_type, int count,
                      MPI_Datatype type, MPI_Comm comm) {
    RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
    return rank == root ? describe(root_count, root_type, comm) : describe(count, type, comm);
  }
};

}  // namespace leadline::coll
