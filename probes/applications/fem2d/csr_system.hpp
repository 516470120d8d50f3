// What a process holds of the assembled problem.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "applications/communication_time.hpp"
#include "applications/fem2d/csr_interface.hpp"
#include "applications/fem2d/csr_matrix.hpp"
#include "applications/fem2d/csr_mesh.hpp"
#include "applications/fem2d/csr_preconditioner.hpp"
#include "applications/fem2d/method.hpp"

namespace leadline::probe::fem2d::csr {

struct System {
  // Refines, assembles; collective.
  System(const Case& problem, MPI_Comm communicator, CommunicationTime& time);

  std::vector<Coordinates> nodes;
  std::vector<char> fixed;  // by node: the boundary value is given
  Matrix matrix;
  std::vector<double> load;  // type II; empty where there is none
  std::unique_ptr<Preconditioner> preconditioner;

  std::int64_t size() const { return static_cast<std::int64_t>(nodes.size()); }
};

double boundary_value(Problem problem, const Coordinates& at);

}  // namespace leadline::probe::fem2d::csr
