// Nodes that several processes share, and sums over the sharers.
//
// A vector is a sum of what the processes have of it (type II: residuals, products with the
// matrix) or the same on all sharers (type I: solutions, search directions); a dot product of one
// of each is the sum of the local ones (G. Haase, U. Langer, A. Meyer: The approximate Dirichlet
// domain decomposition method, Computing 47, 1991).
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "applications/communication_time.hpp"
#include "applications/fem2d/csr_mesh.hpp"

namespace leadline::probe::fem2d::csr {

// Where vectors on all levels lie in one array: the finest level first.
struct Levels {
  std::vector<Index> nodes;           // on each level, of this process
  std::vector<std::int64_t> offsets;  // in the array

  explicit Levels(const Mesh& coarse, int refinements);
  int finest() const { return static_cast<int>(nodes.size()) - 1; }
  std::int64_t size() const { return offsets.front() + nodes.front(); }
};

class Interface {
 public:
  Interface(const Mesh& coarse, const Part& part, const Levels& levels, MPI_Comm communicator,
            CommunicationTime& time);

  // Type II to type I, on all levels at once.
  void accumulate(std::span<double> values);

  struct Shared {
    std::int64_t position;
    bool first;  // of the processes that share it, this one has the lowest rank
    double own;  // what this process had before the last accumulation
    double sum;
  };
  // Nodes of the finest level.
  std::span<const Shared> finest() const { return {shared_.data(), finest_}; }

 private:
  struct Neighbour {
    int process;
    std::vector<std::size_t> shared;  // positions in shared_, in an order that both sides have
    std::vector<double> out;
    std::vector<double> in;
  };

  void exchange();

  MPI_Comm communicator_;
  CommunicationTime& time_;
  int rank_ = 0;
  std::vector<Shared> shared_;  // finest level first
  std::size_t finest_ = 0;
  std::vector<Neighbour> neighbours_;  // ascending
  std::vector<MPI_Request> requests_;
};

}  // namespace leadline::probe::fem2d::csr
