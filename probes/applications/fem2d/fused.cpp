// Preconditioned conjugate gradients without a matrix, in two sweeps over memory an iteration. The
// first prolongs the preconditioned residual into the new direction p and sums p'Kp. The second
// applies K to p again, moves solution and residual, sums r'r and restricts the residual. Neither
// K p nor the preconditioned residual z is ever stored: r'z = sum over l of r_l' D_l^-1 r_l follows
// from the restricted residuals alone.
//
// The direction and the coarse lattices are in double precision at first, and in single precision
// as soon as that costs no iterations: solution and residual move along the same rounded p, so what
// is rounded are directions, and what a rounding in one iteration spoils grows as the residual
// falls (V. Simoncini, D. B. Szyld: Theory of inexact Krylov subspace methods, SIAM J. Sci. Comput.
// 25, 2003). It is small to the end where little is left to fall.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "applications/fem2d/fused_kernels.hpp"
#include "applications/fem2d/fused_preconditioner.hpp"
#include "applications/fem2d/lattice.hpp"
#include "applications/fem2d/method.hpp"
#include "comm/mpi_world.hpp"

namespace leadline::probe::fem2d {
namespace {

// One over the diagonal of K: at the triangles' vertices, which are the nodes that are even both
// ways, and on their edges.
constexpr double kVertex = 1.0 / 4.0;
constexpr double kEdge = 3.0 / 16.0;
constexpr int kMostIterations = 1000;
// So many times its tolerance the norm may fall in single precision: all of it for 1e-6 and more.
// On levels 3 to 8 that makes two counts larger by 1 than those of double precision, and a fifth of
// it none; from 1.1e7 on counts are larger by 4.
constexpr double kInSingle = 1.1e6;
// What one kernel does with a piece of a row is in the first-level cache for the next.
constexpr std::int64_t kPiece = 128;

double square(double value) { return value * value; }

// Calls with the first pair of each piece of [begin, end), and with the pairs in it.
template <typename Function>
void for_pieces(std::int64_t begin, std::int64_t end, Function&& function) {
  for (std::int64_t next = 0; begin < end; begin = next) {
    next = std::min((begin / kPiece + 1) * kPiece, end);
    function(begin, next - begin);
  }
}

// What may be in single precision.
template <typename Real>
struct Directions {
  Directions(const Case& problem, const std::vector<Lattice>& lattices, Exchange& exchange)
      : p(lattices.back()), coarser(problem, lattices, exchange) {}

  template <typename Other>
  void take(const Directions<Other>& other) {
    p.take(other.p);
    coarser.take(other.coarser);
  }

  SplitField<Real> p;
  CoarserLattices<Real> coarser;
};

class Fused : public Solver {
 public:
  Fused(const Case& problem, MPI_Comm communicator, CommunicationTime& time)
      : problem_(problem),
        grid_(process_grid(size_of(communicator))),
        lattices_(lattices(problem, grid_, rank_of(communicator))),
        finest_(lattices_.back()),
        exchange_(grid_, communicator, time) {}

  void assemble() override;
  int solve(double scale) override;
  double reduction() const override { return reduction_; }
  std::vector<double> values(std::span<const Node> nodes) override;
  double traffic_bytes() const override;

 private:
  static int size_of(MPI_Comm communicator);
  static int rank_of(MPI_Comm communicator);

  double chosen(const Norms& norms) const {
    return problem_.preconditioned_norm ? norms.preconditioned : norms.residual;
  }

  void start(double scale);
  template <typename Real>
  Norms iterate(Directions<Real>& along, double preconditioned, double beta);
  template <typename Real>
  double ascend(Directions<Real>& along, double beta);
  template <typename Real>
  double direct_row(Directions<Real>& along, std::int64_t j, double beta);
  template <typename Real>
  double energy_along(const SplitField<Real>& p, std::int64_t i, std::int64_t j) const;
  template <typename Real>
  double energy_across(const SplitField<Real>& p, std::int64_t i, std::int64_t j) const;
  template <typename Real>
  double energy_across_cuts(const SplitField<Real>& p) const;
  template <typename Real>
  Norms descend(Directions<Real>& along, double alpha);
  template <typename Real>
  void advance_row(Directions<Real>& along, std::int64_t j, double alpha, const Rectangle& inner,
                   Norms& norms);
  template <typename Real>
  void advance_node(const SplitField<Real>& p, std::int64_t i, std::int64_t j, double alpha,
                    Norms& norms);

  Case problem_;
  ProcessGrid grid_;
  std::vector<Lattice> lattices_;
  const Lattice& finest_;
  Exchange exchange_;
  std::optional<SplitField<double>> x_;
  std::optional<SplitField<double>> r_;
  std::optional<Directions<double>> exact_;
  std::optional<Directions<float>> rounded_;
  int iterations_ = 0;
  int exact_iterations_ = 0;
  double reduction_ = 1.0;
};

int Fused::size_of(MPI_Comm communicator) {
  int size = 1;
  MPI_REQUIRE(MPI_Comm_size(communicator, &size));
  return size;
}

int Fused::rank_of(MPI_Comm communicator) {
  int rank = 0;
  MPI_REQUIRE(MPI_Comm_rank(communicator, &rank));
  return rank;
}

void Fused::assemble() {
  x_.emplace(finest_);
  r_.emplace(finest_);
  exact_.emplace(problem_, lattices_, exchange_);
  rounded_.emplace(problem_, lattices_, exchange_);
}

int Fused::solve(double scale) {
  start(scale);
  Norms norms = descend(*exact_, 0.0);
  const double at_start = chosen(norms);
  const double enough = square(problem_.tolerance) * at_start;
  double beta = 0.0;
  bool single = false;
  exact_iterations_ = 0;
  for (iterations_ = 0; chosen(norms) > enough && iterations_ < kMostIterations; ++iterations_) {
    if (!single && chosen(norms) <= square(kInSingle) * enough) {
      rounded_->take(*exact_);
      single = true;
      exact_iterations_ = iterations_;
    }
    const double before = norms.preconditioned;
    norms = single ? iterate(*rounded_, before, beta) : iterate(*exact_, before, beta);
    beta = norms.preconditioned / before;
  }
  if (!single) exact_iterations_ = iterations_;
  reduction_ = std::sqrt(chosen(norms) / at_start);
  return iterations_;
}

template <typename Real>
Norms Fused::iterate(Directions<Real>& along, double preconditioned, double beta) {
  const double energy = ascend(along, beta);
  return descend(along, preconditioned / energy);
}

// The boundary values and 0 elsewhere; what that leaves of the right-hand side.
void Fused::start(double scale) {
  x_->clear();
  r_->clear();
  exact_->p.clear();
  const Rectangle& unknowns = finest_.unknowns;
  const double h = 1.0 / static_cast<double>(finest_.intervals);
  if (problem_.problem == Problem::kB) {
    for (std::int64_t j = unknowns.j_begin; j < unknowns.j_end; ++j) {
      for (std::int64_t i = unknowns.i_begin; i < unknowns.i_end; ++i) {
        if (i % 2 != 0 || j % 2 != 0) *r_->at(i, j) = scale * 4.0 / 3.0 * h * h;
      }
    }
    return;
  }
  // Only the first two rows of unknowns reach down to y = 0, where u = x.
  for (std::int64_t i = unknowns.i_begin; i < unknowns.i_end; ++i) {
    const double value = scale * h * static_cast<double>(i);
    const double weight = i == finest_.intervals ? 0.5 : 1.0;
    if (finest_.own.contains({i, 0})) *x_->at(i, 0) = value;
    if (finest_.own.contains({i, 1})) *r_->at(i, 1) = weight * value * 4.0 / 3.0;
    if (finest_.own.contains({i, 2}) && i % 2 == 0) *r_->at(i, 2) = -weight * value / 3.0;
  }
}

// p = z + beta p; returns p'Kp.
template <typename Real>
double Fused::ascend(Directions<Real>& along, double beta) {
  along.coarser.begin_corrections();
  const Rectangle& own = finest_.own;
  const std::int64_t n = finest_.intervals;
  double energy = 0.0;
  for (std::int64_t j = own.j_begin; j < own.j_end && !own.empty(); ++j) {
    energy += direct_row(along, j, beta);
  }
  if (finest_.free_north()) {
    for (const std::int64_t distance : {1, 2}) {
      for (std::int64_t i = own.i_begin; i < own.i_end; ++i) {
        *along.p.at(i, n + distance) = *along.p.at(i, n - distance);
      }
    }
  }
  exchange_.halo(finest_, along.p, 2);
  energy += energy_across_cuts(along.p);
  exchange_.sum({&energy, 1});
  return energy;
}

// Returns what the row adds to p'Kp by its edges to own nodes before.
template <typename Real>
double Fused::direct_row(Directions<Real>& along, std::int64_t j, double beta) {
  const Rectangle& own = finest_.own;
  const std::int64_t i_begin = own.i_begin;
  const std::int64_t pairs = (std::min(own.i_end, finest_.intervals) - i_begin) / 2;
  const std::int64_t stride = along.p.stride();
  const CoarseRows<Real> z{along.coarser.correction(i_begin / 2, j / 2),
                           along.coarser.correction(i_begin / 2, (j + 1) / 2)};
  const double weight = finest_.weight(j);
  const double on_even = (j % 2 == 0 ? kVertex : kEdge) / weight;
  const Scaling scaling{on_even, kEdge / weight};
  const SplitRow<Real> p{along.p.at(i_begin, j), along.p.at(i_begin + 1, j)};
  const SplitRow<const double> r{r_->at(i_begin, j), r_->at(i_begin + 1, j)};

  Energy sum;
  for_pieces(0, pairs, [&](std::int64_t first, std::int64_t count) {
    direct(p + first, r + first, r_->stride(), z + first, scaling, beta, count);
    // The first two nodes have halo before them: below.
    const std::int64_t skipped = first == 0 ? 1 : 0;
    if (j == own.j_begin) return;
    const SplitRow<const Real> row{p.even + first + skipped, p.odd + first + skipped};
    const Energy energy = j % 2 == 0 ? even_row_energy(row, stride, count - skipped)
                                     : odd_row_energy(row, stride, count - skipped);
    sum.along += energy.along;
    sum.across += energy.across;
  });
  double energy = weight * sum.along + sum.across;
  if (finest_.free_east()) {
    Real& last = p.even[pairs];
    last = static_cast<Real>(2.0 * on_even * r.even[pairs] +
                             0.5 * (z.south[pairs] + z.north[pairs]) + beta * last);
    // What K sees beyond the side is what lies before it.
    p.odd[pairs] = p.odd[pairs - 1];
    p.even[pairs + 1] = p.even[pairs - 1];
  }
  if (j == own.j_begin) return 0.0;
  energy += energy_across(along.p, i_begin, j) + energy_along(along.p, i_begin + 1, j) +
            energy_across(along.p, i_begin + 1, j);
  if (own.i_end > finest_.intervals) {
    energy +=
        energy_along(along.p, finest_.intervals, j) + energy_across(along.p, finest_.intervals, j);
  }
  return energy;
}

// What a node adds to p'Kp by its edges to the nodes before it in its row, or in the rows before.
template <typename Real>
double Fused::energy_along(const SplitField<Real>& p, std::int64_t i, std::int64_t j) const {
  const double here = *p.at(i, j);
  double energy = kNear * square(here - *p.at(i - 1, j));
  if (i % 2 == 0 && j % 2 == 0) energy -= kFar * square(here - *p.at(i - 2, j));
  return finest_.weight(j) * energy;
}

template <typename Real>
double Fused::energy_across(const SplitField<Real>& p, std::int64_t i, std::int64_t j) const {
  const double here = *p.at(i, j);
  double energy = kNear * square(here - *p.at(i, j - 1));
  if (i % 2 == 0 && j % 2 == 0) energy -= kFar * square(here - *p.at(i, j - 2));
  return finest_.weight(i) * energy;
}

// What the edges add that end at nodes which only the exchange has brought, and the first row.
template <typename Real>
double Fused::energy_across_cuts(const SplitField<Real>& p) const {
  const Rectangle& own = finest_.own;
  if (own.empty()) return 0.0;
  double energy = 0.0;
  for (std::int64_t i = own.i_begin; i < own.i_end; ++i) {
    if (i > own.i_begin) energy += energy_along(p, i, own.j_begin);
    energy += energy_across(p, i, own.j_begin);
  }
  if (own.i_begin == 0) return energy;
  for (std::int64_t j = own.j_begin; j < own.j_end; ++j) energy += energy_along(p, own.i_begin, j);
  return energy;
}

// x += alpha p, r -= alpha K p; restricts r to all lattices.
template <typename Real>
Norms Fused::descend(Directions<Real>& along, double alpha) {
  const Rectangle& own = finest_.own;
  const Rectangle mine = finest_.mine();
  // The restriction to the first row and column of a part waits for its neighbours' residuals.
  const Rectangle next = along.coarser.next().mine();
  Rectangle inner = next;
  if (own.i_begin > 0) ++inner.i_begin;
  if (own.j_begin > 0) ++inner.j_begin;

  Norms norms;
  for (std::int64_t j = mine.j_begin; j < mine.j_end && !mine.empty(); ++j) {
    advance_row(along, j, alpha, inner, norms);
  }
  exchange_.halo(finest_, *r_);
  Rectangle row = next;
  row.j_end = inner.j_begin;
  Rectangle column = inner;
  column.i_begin = next.i_begin;
  column.i_end = inner.i_begin;
  norms.preconditioned += along.coarser.restrict_finest(*r_, row);
  norms.preconditioned += along.coarser.restrict_finest(*r_, column);
  return along.coarser.restrict_further(norms);
}

// Restricts to the row of `inner` that it completes, too.
template <typename Real>
void Fused::advance_row(Directions<Real>& along, std::int64_t j, double alpha,
                        const Rectangle& inner, Norms& norms) {
  const std::int64_t n = finest_.intervals;
  const std::int64_t i_begin = finest_.own.i_begin;
  const std::int64_t pairs = (std::min(finest_.own.i_end, n) - i_begin) / 2;
  const double weight = finest_.weight(j);
  const SplitRow<double> x{x_->at(i_begin, j), x_->at(i_begin + 1, j)};
  const SplitRow<double> r{r_->at(i_begin, j), r_->at(i_begin + 1, j)};
  const SplitRow<const Real> p{along.p.at(i_begin, j), along.p.at(i_begin + 1, j)};
  const std::int64_t row = j == n ? j / 2 : (j - 1) / 2;
  const bool completes = (j % 2 != 0 || j == n) && row >= inner.j_begin && row < inner.j_end;

  // Where u is given on the first node of the row, its pair is not whole.
  const bool given = finest_.unknowns.i_begin > i_begin;
  if (given) advance_node(along.p, i_begin + 1, j, alpha, norms);
  if (finest_.unknowns.i_end > n) advance_node(along.p, n, j, alpha, norms);
  Squares sum;
  for_pieces(given ? 1 : 0, pairs, [&](std::int64_t first, std::int64_t count) {
    const auto advanced = [&](auto&& advance) {
      return advance(x + first, r + first, p + first, along.p.stride(), x_->stride(), alpha, weight,
                     count);
    };
    Squares squares;
    if (alpha == 0.0) {  // to begin with, nothing moves
      squares = square_row({r.even + first, r.odd + first}, r_->stride(), count);
    } else if (j % 2 == 0) {
      squares = advanced([](auto... values) { return advance_even_row(values...); });
    } else {
      squares = advanced([](auto... values) { return advance_odd_row(values...); });
    }
    sum.even += squares.even;
    sum.odd += squares.odd;
    if (!completes) return;
    const std::int64_t begin = i_begin / 2 + first;
    const bool last = first + count == pairs;
    norms.preconditioned += along.coarser.restrict_finest(
        *r_, {std::max(begin, inner.i_begin),
              last ? inner.i_end : std::min(begin + count, inner.i_end), row, row + 1});
  });
  norms.residual += sum.even + sum.odd;
  norms.preconditioned += ((j % 2 == 0 ? kVertex : kEdge) * sum.even + kEdge * sum.odd) / weight;
}

template <typename Real>
void Fused::advance_node(const SplitField<Real>& p, std::int64_t i, std::int64_t j, double alpha,
                         Norms& norms) {
  const bool vertex = i % 2 == 0 && j % 2 == 0;
  const auto at = [&](std::int64_t east, std::int64_t north) -> double {
    return *p.at(i + east, j + north);
  };
  const auto differences = [&](std::int64_t distance) {
    return 4.0 * at(0, 0) - at(distance, 0) - at(-distance, 0) - at(0, distance) - at(0, -distance);
  };
  const double weight = finest_.weight(i) * finest_.weight(j);
  const double product = kNear * differences(1) - (vertex ? kFar * differences(2) : 0.0);
  double& r = *r_->at(i, j);
  *x_->at(i, j) += alpha * at(0, 0);
  r -= weight * alpha * product;
  norms.residual += square(r);
  norms.preconditioned += (vertex ? kVertex : kEdge) / weight * square(r);
}

std::vector<double> Fused::values(std::span<const Node> nodes) {
  std::vector<double> found;
  for (const Node& node : nodes) {
    found.push_back(finest_.own.contains(node) ? *x_->at(node.i, node.j) : 0.0);
  }
  exchange_.sum(found);
  return found;
}

// Replicated lattices stay in the caches.
double Fused::traffic_bytes() const {
  const int top = problem_.level + 1;
  const auto nodes = [&](int level) {
    const Rectangle& own = lattices_[level].own;
    return own.empty() ? 0.0 : static_cast<double>(own.width() * own.height());
  };
  double coarser = 0.0;
  for (int level = top - 1; level > replicated_level(problem_); --level) coarser += nodes(level);
  constexpr double kSingle = sizeof(float);
  constexpr double kDouble = sizeof(double);
  // Written, which reads it first, and read.
  const auto restriction = [&](double real) { return 3 * real * coarser; };
  // Reads r, reads and writes p; reads x, r and p and writes x and r; reads what is prolonged.
  const auto iteration = [&](double real) {
    return nodes(top) * (5 * kDouble + 3 * real) + coarser * real + restriction(real);
  };
  double bytes = nodes(top) * 7 * kDouble + restriction(kDouble);
  bytes += exact_iterations_ * iteration(kDouble);
  const int rounded_iterations = iterations_ - exact_iterations_;
  if (rounded_iterations == 0) return bytes;
  const double taken = (kDouble + 2 * kSingle) * (nodes(top) + coarser);
  return bytes + taken + rounded_iterations * iteration(kSingle);
}

const Method fused{{
    .name = "fused",
    .summary = "without a matrix, each sweep over memory doing all that it can",
    .bytes_per_unknown = 33.0,
    .defined_iterations = true,
    .make = [](const Case& problem, MPI_Comm communicator, CommunicationTime& time)
        -> std::unique_ptr<Solver> { return std::make_unique<Fused>(problem, communicator, time); },
}};

}  // namespace
}  // namespace leadline::probe::fem2d
