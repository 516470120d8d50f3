// Multigrid's lattices of 2, 4, ... 16 * 2^level intervals over the processes: parts with the
// layers of their neighbours' nodes that a whole cycle needs.
#pragma once

#include <mpi.h>

#include <vector>

#include "applications/communication_time.hpp"
#include "applications/fem2d/lattice.hpp"
#include "applications/fem2d/multigrid_field.hpp"

namespace leadline::probe::fem2d::multigrid {

// This rank's part of each lattice, the coarsest first.
std::vector<Part> parts(const Case& problem, ProcessGrid grid, int rank);

// All functions are collective.
class Neighbours {
 public:
  Neighbours(ProcessGrid grid, MPI_Comm communicator, CommunicationTime& time);

  // Every process has written its own nodes; afterwards it knows all that it holds.
  template <typename Real>
  void fetch(const Part& part, Field<Real>& field);
  double sum(double value);
  void sum(std::vector<double>& values);

 private:
  template <typename Real>
  void fetch_halo(const Part& part, Field<Real>& field);
  template <typename Real>
  void share(const Part& part, Field<Real>& field);
  // Sends to both neighbours in one direction what they lack, and receives.
  struct Side {
    int rank;
    const void* sent;
    void* received;
  };
  void swap(const Side& low, const Side& high, std::size_t bytes);

  MPI_Comm communicator_;
  CommunicationTime& time_;
  int processes_ = 1;
  static constexpr int kNobody = -1;
  int west_ = kNobody;
  int east_ = kNobody;
  int south_ = kNobody;
  int north_ = kNobody;
};

}  // namespace leadline::probe::fem2d::multigrid
