#include "applications/fem2d/fused_preconditioner.hpp"

#include <algorithm>
#include <array>

namespace leadline::probe::fem2d {

namespace {

constexpr double kInverseDiagonal = 1.0 / 4.0;

double square(double value) { return value * value; }

// Two rows of a lattice that is not replicated.
Lattice kept(Lattice lattice) {
  Rectangle& held = lattice.held;
  if (!lattice.replicated) held.j_end = std::min(held.j_end, held.j_begin + 2);
  return lattice;
}

// Calls for each with its inverse diagonal.
template <typename Function>
void for_unknowns(const Lattice& lattice, Function&& function) {
  const Rectangle& unknowns = lattice.unknowns;
  for (std::int64_t j = unknowns.j_begin; j < unknowns.j_end; ++j) {
    for (std::int64_t i = unknowns.i_begin; i < unknowns.i_end; ++i) {
      function(i, j, kInverseDiagonal / (lattice.weight(i) * lattice.weight(j)));
    }
  }
}

}  // namespace

template <typename Real>
CoarserLattices<Real>::Level::Level(const Lattice& lattice)
    : lattice(lattice), residual(lattice), correction(kept(lattice)) {}

template <typename Real>
Real* CoarserLattices<Real>::Level::row(std::int64_t i, std::int64_t j) {
  const std::int64_t first = lattice.held.j_begin;
  return correction.at(i, lattice.replicated ? j : first + (j - first) % 2);
}

template <typename Real>
CoarserLattices<Real>::CoarserLattices(const Case& problem, const std::vector<Lattice>& lattices,
                                       Exchange& exchange)
    : exchange_(exchange), replicated_(replicated_level(problem)) {
  for (std::size_t level = 0; level + 1 < lattices.size(); ++level) {
    levels_.emplace_back(lattices[level]);
  }
  if (problem.coarse_solver) coarsest_solver_.emplace(lattices.front());
}

template <typename Real>
template <typename Other>
void CoarserLattices<Real>::take(const CoarserLattices<Other>& other) {
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    levels_[level].residual.take(other.levels_[level].residual);
  }
}

template <typename Real>
void CoarserLattices<Real>::begin_corrections() {
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const Lattice& lattice = levels_[level].lattice;
    levels_[level].last_row = lattice.held.j_begin - 1;
    if (lattice.replicated) make_correction(static_cast<int>(level), lattice.intervals);
  }
}

template <typename Real>
const Real* CoarserLattices<Real>::correction(int level, std::int64_t i, std::int64_t j) {
  if (levels_[level].last_row < j) make_correction(level, j);
  return levels_[level].row(i, j);
}

// All rows of z up to this one, as far east as the finer lattice needs them.
template <typename Real>
void CoarserLattices<Real>::make_correction(int level, std::int64_t last_row) {
  Level& coarse = levels_[level];
  if (level == 0) return solve_coarsest();
  const Lattice& lattice = coarse.lattice;
  const std::int64_t i_begin = lattice.held.i_begin;
  const std::int64_t pairs = (std::min(lattice.held.i_end, lattice.intervals) - i_begin) / 2;
  while (coarse.last_row < last_row) {
    const std::int64_t j = ++coarse.last_row;
    const CoarseRows<Real> z{correction(level - 1, i_begin / 2, j / 2),
                             correction(level - 1, i_begin / 2, (j + 1) / 2)};
    const double inverse = kInverseDiagonal / lattice.weight(j);
    Real* row = coarse.row(i_begin, j);
    const Real* residual = coarse.residual.at(i_begin, j);
    prolong(row, residual, coarse.residual.stride(), z, inverse, pairs);
    // The last node is the neighbour's first, or lies on the side of the square.
    const double factor = lattice.free_east() ? 2.0 : 1.0;
    row[2 * pairs] = static_cast<Real>(factor * inverse * residual[2 * pairs] +
                                       0.5 * (z.south[pairs] + z.north[pairs]));
  }
}

template <typename Real>
void CoarserLattices<Real>::solve_coarsest() {
  Level& coarsest = levels_.front();
  coarsest.last_row = coarsest.lattice.intervals;
  if (coarsest_solver_) {
    coarsest_solver_->solve(coarsest.residual, coarsest.correction);
    return;
  }
  for_unknowns(coarsest.lattice, [&](std::int64_t i, std::int64_t j, double inverse) {
    *coarsest.correction.at(i, j) = static_cast<Real>(inverse * *coarsest.residual.at(i, j));
  });
}

template <typename Real>
Norms CoarserLattices<Real>::restrict_further(Norms norms) {
  for (int level = static_cast<int>(levels_.size()) - 1; level > replicated_; --level) {
    exchange_.halo(levels_[level].lattice, levels_[level].residual);
    norms.preconditioned += restrict_from(level, levels_[level - 1].lattice.mine());
  }
  std::array<double, 2> sums{norms.residual, norms.preconditioned};
  exchange_.share(levels_[replicated_].lattice, levels_[replicated_].residual, sums);
  norms = {sums[0], sums[1]};
  for (int level = replicated_; level >= 0; --level) {
    norms.preconditioned += replicated_product(levels_[level]);
    if (level > 0) restrict_from(level, levels_[level - 1].lattice.unknowns);
  }
  return norms;
}

// Calls for each row of the nodes with its residuals, which it returns the sum of squares of;
// returns what they add to r'z: nothing yet where every process will have all.
template <typename Real>
template <typename Restrict>
double CoarserLattices<Real>::restrict_rows(Level& coarse, const Rectangle& nodes,
                                            Restrict&& restrict) {
  if (nodes.empty()) return 0.0;
  double sum = 0.0;
  for (std::int64_t j = nodes.j_begin; j < nodes.j_end; ++j) {
    Real* row = coarse.residual.at(nodes.i_begin, j);
    double squares = restrict(row, j);
    if (nodes.i_end > coarse.lattice.intervals) squares += square(row[nodes.width() - 1]);
    sum += squares / coarse.lattice.weight(j);
  }
  return coarse.lattice.replicated ? 0.0 : kInverseDiagonal * sum;
}

template <typename Real>
double CoarserLattices<Real>::restrict_finest(const SplitField<double>& r, const Rectangle& nodes) {
  return restrict_rows(levels_.back(), nodes, [&](Real* row, std::int64_t j) {
    const std::int64_t i = 2 * nodes.i_begin;
    return restrict_split(row, levels_.back().residual.stride(),
                          {r.at(i, 2 * j), r.at(i + 1, 2 * j)}, r.stride(), nodes.width());
  });
}

template <typename Real>
double CoarserLattices<Real>::restrict_from(int level, const Rectangle& nodes) {
  const Field<Real>& fine = levels_[level].residual;
  return restrict_rows(levels_[level - 1], nodes, [&](Real* row, std::int64_t j) {
    return restrict_row(row, fine.at(2 * nodes.i_begin, 2 * j), fine.stride(), nodes.width());
  });
}

template <typename Real>
double CoarserLattices<Real>::replicated_product(Level& coarse) {
  if (&coarse == &levels_.front() && coarsest_solver_) {
    return coarsest_solver_->solve(coarse.residual, coarse.correction);
  }
  double sum = 0.0;
  for_unknowns(coarse.lattice, [&](std::int64_t i, std::int64_t j, double inverse) {
    sum += inverse * square(*coarse.residual.at(i, j));
  });
  return sum;
}

template class CoarserLattices<float>;
template class CoarserLattices<double>;
template void CoarserLattices<float>::take(const CoarserLattices<double>&);

}  // namespace leadline::probe::fem2d
