// Multilevel diagonal scaling below the finest lattice: restricted residuals r_l, their share of
// r'z = sum over l of r_l' D_l^-1 r_l, and corrections z_l = D_l^-1 r_l + P_l z_(l-1).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "applications/fem2d/fused_coarsest.hpp"
#include "applications/fem2d/fused_kernels.hpp"
#include "applications/fem2d/lattice.hpp"

namespace leadline::probe::fem2d {

// Sums over all nodes: r'r and r'z.
struct Norms {
  double residual = 0.0;
  double preconditioned = 0.0;
};

template <typename Real>
class CoarserLattices {
 public:
  // Both must outlive it.
  CoarserLattices(const Case& problem, const std::vector<Lattice>& lattices, Exchange& exchange);

  // The residuals of another, in this one's precision.
  template <typename Other>
  void take(const CoarserLattices<Other>& other);

  const Lattice& next() const { return levels_.back().lattice; }
  // Restricts to these nodes of the next coarser lattice; returns what that adds to r'z there.
  double restrict_finest(const SplitField<double>& r, const Rectangle& nodes);
  // After that, to all others: the norms over all nodes, to which this process adds `norms`. The
  // exchanges are collective.
  Norms restrict_further(Norms norms);

  // Once before rows of z are asked for.
  void begin_corrections();
  // z from node (i, j) of the next coarser lattice on, as far east as the finest one needs it, and
  // until the row after the next one is asked for. Rows are asked for from south to north.
  const Real* correction(std::int64_t i, std::int64_t j) {
    return correction(static_cast<int>(levels_.size()) - 1, i, j);
  }

 private:
  template <typename Other>
  friend class CoarserLattices;

  // A row of z is made when the finer lattice asks for it, and is gone two rows later; replicated
  // lattices keep all.
  struct Level {
    explicit Level(const Lattice& lattice);
    Real* row(std::int64_t i, std::int64_t j);

    const Lattice& lattice;
    Field<Real> residual;
    Field<Real> correction;
    std::int64_t last_row = 0;
  };

  const Real* correction(int level, std::int64_t i, std::int64_t j);
  void make_correction(int level, std::int64_t last_row);
  void solve_coarsest();
  template <typename Restrict>
  double restrict_rows(Level& coarse, const Rectangle& nodes, Restrict&& restrict);
  double restrict_from(int level, const Rectangle& nodes);
  double replicated_product(Level& coarse);

  Exchange& exchange_;
  int replicated_;
  std::vector<Level> levels_;
  std::optional<CoarsestSolver> coarsest_solver_;
};

}  // namespace leadline::probe::fem2d
