// Multilevel diagonal scaling: z = sum over the levels of P_l D_l^-1 P_l' r, with linear
// interpolation from the lists of fathers (X. Zhang: Multilevel Schwarz methods, Numer. Math. 63,
// 1992; J. Bramble, J. Pasciak, J. Xu: Parallel multilevel preconditioners, Math. Comp. 55, 1990).
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <vector>

#include "applications/communication_time.hpp"
#include "applications/fem2d/csr_interface.hpp"
#include "applications/fem2d/csr_mesh.hpp"

namespace leadline::probe::fem2d::csr {

// Solves with the stiffness matrix of linear functions on the whole coarse mesh, on every process.
class CoarseSolver {
 public:
  // `fixed` are nodes of the whole coarse mesh, `nodes` those of this process.
  CoarseSolver(const Mesh& coarse, std::span<const char> fixed, std::vector<Index> nodes,
               MPI_Comm communicator, CommunicationTime& time);

  // Of this process's nodes: type II to type I.
  void solve(std::span<const double> right, std::span<double> solution);

 private:
  std::vector<Index> nodes_;
  MPI_Comm communicator_;
  CommunicationTime& time_;
  std::vector<double> inverse_;  // zero in rows and columns of fixed nodes
  std::vector<double> right_;
};

class Preconditioner {
 public:
  // `inverse_diagonals` has all levels; 0 for fixed nodes. fathers[l] are those of the nodes that
  // are new on level l + 1.
  Preconditioner(Levels levels, std::vector<std::vector<Edge>> fathers,
                 std::vector<double> inverse_diagonals, Interface interface,
                 std::optional<CoarseSolver> coarse);

  // This process's parts of the dot products r'r and r'z. Both are made of vectors of type I: what
  // the sharers have of a small residual may be large, and would leave nothing but rounding.
  struct Products {
    double residual;
    double preconditioned;
  };
  // z, type I, from r, type II, which is the finest level of `residuals`; the others are scratch.
  Products apply(std::span<double> residuals, std::span<double> z);

  const Levels& levels() const { return levels_; }
  // That one application moves.
  double bytes() const;

 private:
  void restrict_from(int level, double* residuals) const;
  Products prolongate_to(int level, const double* residuals, double* z) const;

  Levels levels_;
  std::vector<std::vector<Edge>> fathers_;
  std::vector<double> inverse_diagonals_;
  Interface interface_;
  std::optional<CoarseSolver> coarse_;
  std::vector<double> coarse_solution_;
};

}  // namespace leadline::probe::fem2d::csr
