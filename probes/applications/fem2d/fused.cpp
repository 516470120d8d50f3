// Preconditioned conjugate gradients without a matrix, in two sweeps over memory an iteration. The
// first prolongs the preconditioned residual into the new direction p and sums p'Kp. The second
// applies K to p again, moves solution and residual, sums r'r and restricts the residual. Neither
// K p nor the preconditioned residual z is ever stored: r'z = sum over l of r_l' D_l^-1 r_l follows
// from the restricted residuals alone.
//
// The direction and the coarse lattices are in single precision. That turns the directions a
// little and spoils no result, for solution and residual move along the same rounded p.
#include <algorithm>
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
  std::vector<double> values(std::span<const Node> nodes) override;
  double traffic_bytes() const override;

 private:
  static int size_of(MPI_Comm communicator);
  static int rank_of(MPI_Comm communicator);

  double chosen(const Norms& norms) const {
    return problem_.preconditioned_norm ? norms.preconditioned : norms.residual;
  }

  void start(double scale);
  double ascend(float beta);
  double direct_row(std::int64_t j, float beta);
  double energy_along(std::int64_t i, std::int64_t j) const;
  double energy_across(std::int64_t i, std::int64_t j) const;
  double energy_across_cuts() const;
  Norms descend(double alpha);
  void advance_row(std::int64_t j, double alpha, const Rectangle& inner, Norms& norms);
  void advance_node(std::int64_t i, std::int64_t j, double alpha, Norms& norms);

  Case problem_;
  ProcessGrid grid_;
  std::vector<Lattice> lattices_;
  const Lattice& finest_;
  Exchange exchange_;
  std::optional<CoarserLattices> coarser_;
  std::optional<SplitField<double>> x_;
  std::optional<SplitField<double>> r_;
  std::optional<SplitField<float>> p_;
  int iterations_ = 0;
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
  p_.emplace(finest_);
  coarser_.emplace(problem_, lattices_, exchange_);
}

int Fused::solve(double scale) {
  start(scale);
  Norms norms = descend(0.0);
  const double enough = square(problem_.tolerance) * chosen(norms);
  float beta = 0.0F;
  for (iterations_ = 0; chosen(norms) > enough && iterations_ < kMostIterations; ++iterations_) {
    const double before = norms.preconditioned;
    norms = descend(before / ascend(beta));
    beta = static_cast<float>(norms.preconditioned / before);
  }
  return iterations_;
}

// The boundary values and 0 elsewhere; what that leaves of the right-hand side.
void Fused::start(double scale) {
  x_->clear();
  r_->clear();
  p_->clear();
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
double Fused::ascend(float beta) {
  coarser_->begin_corrections();
  const Rectangle& own = finest_.own;
  const std::int64_t n = finest_.intervals;
  double energy = 0.0;
  for (std::int64_t j = own.j_begin; j < own.j_end && !own.empty(); ++j) {
    energy += direct_row(j, beta);
  }
  if (finest_.free_north()) {
    for (const std::int64_t distance : {1, 2}) {
      for (std::int64_t i = own.i_begin; i < own.i_end; ++i) {
        *p_->at(i, n + distance) = *p_->at(i, n - distance);
      }
    }
  }
  exchange_.halo(finest_, *p_, 2);
  energy += energy_across_cuts();
  exchange_.sum({&energy, 1});
  return energy;
}

// Returns what the row adds to p'Kp by its edges to own nodes before.
double Fused::direct_row(std::int64_t j, float beta) {
  const Rectangle& own = finest_.own;
  const std::int64_t i_begin = own.i_begin;
  const std::int64_t pairs = (std::min(own.i_end, finest_.intervals) - i_begin) / 2;
  const std::int64_t stride = p_->stride();
  const CoarseRows z{coarser_->correction(i_begin / 2, j / 2),
                     coarser_->correction(i_begin / 2, (j + 1) / 2)};
  const double weight = finest_.weight(j);
  const double on_even = (j % 2 == 0 ? kVertex : kEdge) / weight;
  const Scaling scaling{static_cast<float>(on_even), static_cast<float>(kEdge / weight)};
  const SplitRow<float> p{p_->at(i_begin, j), p_->at(i_begin + 1, j)};
  const SplitRow<const double> r{r_->at(i_begin, j), r_->at(i_begin + 1, j)};
  const auto energy_of = j % 2 == 0 ? even_row_energy : odd_row_energy;

  Energy sum;
  for_pieces(0, pairs, [&](std::int64_t first, std::int64_t count) {
    direct(p + first, r + first, r_->stride(), z + first, scaling, beta, count);
    // The first two nodes have halo before them: below.
    const std::int64_t skipped = first == 0 ? 1 : 0;
    if (j == own.j_begin) return;
    const Energy energy =
        energy_of({p.even + first + skipped, p.odd + first + skipped}, stride, count - skipped);
    sum.along += energy.along;
    sum.across += energy.across;
  });
  double energy = weight * sum.along + sum.across;
  if (finest_.free_east()) {
    float* last = p.even + pairs;
    *last = static_cast<float>(2.0 * on_even * r.even[pairs]) +
            0.5F * (z.south[pairs] + z.north[pairs]) + beta * *last;
    // What K sees beyond the side is what lies before it.
    p.odd[pairs] = p.odd[pairs - 1];
    p.even[pairs + 1] = p.even[pairs - 1];
  }
  if (j == own.j_begin) return 0.0;
  energy +=
      energy_across(i_begin, j) + energy_along(i_begin + 1, j) + energy_across(i_begin + 1, j);
  if (own.i_end > finest_.intervals) {
    energy += energy_along(finest_.intervals, j) + energy_across(finest_.intervals, j);
  }
  return energy;
}

// What a node adds to p'Kp by its edges to the nodes before it in its row, or in the rows before.
double Fused::energy_along(std::int64_t i, std::int64_t j) const {
  const double p = *p_->at(i, j);
  double energy = kNear * square(p - *p_->at(i - 1, j));
  if (i % 2 == 0 && j % 2 == 0) energy -= kFar * square(p - *p_->at(i - 2, j));
  return finest_.weight(j) * energy;
}

double Fused::energy_across(std::int64_t i, std::int64_t j) const {
  const double p = *p_->at(i, j);
  double energy = kNear * square(p - *p_->at(i, j - 1));
  if (i % 2 == 0 && j % 2 == 0) energy -= kFar * square(p - *p_->at(i, j - 2));
  return finest_.weight(i) * energy;
}

// What the edges add that end at nodes which only the exchange has brought, and the first row.
double Fused::energy_across_cuts() const {
  const Rectangle& own = finest_.own;
  if (own.empty()) return 0.0;
  double energy = 0.0;
  for (std::int64_t i = own.i_begin; i < own.i_end; ++i) {
    if (i > own.i_begin) energy += energy_along(i, own.j_begin);
    energy += energy_across(i, own.j_begin);
  }
  if (own.i_begin == 0) return energy;
  for (std::int64_t j = own.j_begin; j < own.j_end; ++j) energy += energy_along(own.i_begin, j);
  return energy;
}

// x += alpha p, r -= alpha K p; restricts r to all lattices.
Norms Fused::descend(double alpha) {
  const Rectangle& own = finest_.own;
  const Rectangle mine = finest_.mine();
  // The restriction to the first row and column of a part waits for its neighbours' residuals.
  const Rectangle next = coarser_->next().mine();
  Rectangle inner = next;
  if (own.i_begin > 0) ++inner.i_begin;
  if (own.j_begin > 0) ++inner.j_begin;

  Norms norms;
  for (std::int64_t j = mine.j_begin; j < mine.j_end && !mine.empty(); ++j) {
    advance_row(j, alpha, inner, norms);
  }
  exchange_.halo(finest_, *r_);
  Rectangle row = next;
  row.j_end = inner.j_begin;
  Rectangle column = inner;
  column.i_begin = next.i_begin;
  column.i_end = inner.i_begin;
  norms.preconditioned += coarser_->restrict_finest(*r_, row);
  norms.preconditioned += coarser_->restrict_finest(*r_, column);
  return coarser_->restrict_further(norms);
}

// Restricts to the row of `inner` that it completes, too.
void Fused::advance_row(std::int64_t j, double alpha, const Rectangle& inner, Norms& norms) {
  const std::int64_t n = finest_.intervals;
  const std::int64_t i_begin = finest_.own.i_begin;
  const std::int64_t pairs = (std::min(finest_.own.i_end, n) - i_begin) / 2;
  const double weight = finest_.weight(j);
  const SplitRow<double> x{x_->at(i_begin, j), x_->at(i_begin + 1, j)};
  const SplitRow<double> r{r_->at(i_begin, j), r_->at(i_begin + 1, j)};
  const SplitRow<const float> p{p_->at(i_begin, j), p_->at(i_begin + 1, j)};
  const auto advance = j % 2 == 0 ? advance_even_row : advance_odd_row;
  const std::int64_t row = j == n ? j / 2 : (j - 1) / 2;
  const bool completes = (j % 2 != 0 || j == n) && row >= inner.j_begin && row < inner.j_end;

  // Where u is given on the first node of the row, its pair is not whole.
  const bool given = finest_.unknowns.i_begin > i_begin;
  if (given) advance_node(i_begin + 1, j, alpha, norms);
  if (finest_.unknowns.i_end > n) advance_node(n, j, alpha, norms);
  Squares sum;
  for_pieces(given ? 1 : 0, pairs, [&](std::int64_t first, std::int64_t count) {
    const Squares squares =
        advance(x + first, r + first, p + first, p_->stride(), x_->stride(), alpha, weight, count);
    sum.even += squares.even;
    sum.odd += squares.odd;
    if (!completes) return;
    const std::int64_t begin = i_begin / 2 + first;
    const bool last = first + count == pairs;
    norms.preconditioned += coarser_->restrict_finest(
        *r_, {std::max(begin, inner.i_begin),
              last ? inner.i_end : std::min(begin + count, inner.i_end), row, row + 1});
  });
  norms.residual += sum.even + sum.odd;
  norms.preconditioned += ((j % 2 == 0 ? kVertex : kEdge) * sum.even + kEdge * sum.odd) / weight;
}

void Fused::advance_node(std::int64_t i, std::int64_t j, double alpha, Norms& norms) {
  const bool vertex = i % 2 == 0 && j % 2 == 0;
  const auto p = [&](std::int64_t east, std::int64_t north) -> double {
    return *p_->at(i + east, j + north);
  };
  const auto differences = [&](std::int64_t distance) {
    return 4.0 * p(0, 0) - p(distance, 0) - p(-distance, 0) - p(0, distance) - p(0, -distance);
  };
  const double weight = finest_.weight(i) * finest_.weight(j);
  const double product = kNear * differences(1) - (vertex ? kFar * differences(2) : 0.0);
  double& r = *r_->at(i, j);
  *x_->at(i, j) += alpha * p(0, 0);
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
  constexpr double kSingle = sizeof(float);
  constexpr double kDouble = sizeof(double);
  // Reads r, reads and writes p; reads x, r and p and writes x and r.
  double up = nodes(top) * (kDouble + 2 * kSingle);
  double down = nodes(top) * (4 * kDouble + kSingle);
  for (int level = top - 1; level > replicated_level(problem_); --level) {
    up += nodes(level) * kSingle;        // read by the prolongation
    down += nodes(level) * 3 * kSingle;  // written, which reads it first, and read
  }
  const double start = nodes(top) * (4 * kDouble + 2 * kSingle);
  return start + down + iterations_ * (up + down);
}

const Method fused{{
    .name = "fused",
    .summary = "without a matrix, each sweep over memory doing all that it can",
    .bytes_per_unknown = 24.0,
    .defined_iterations = true,
    .make = [](const Case& problem, MPI_Comm communicator, CommunicationTime& time)
        -> std::unique_ptr<Solver> { return std::make_unique<Fused>(problem, communicator, time); },
}};

}  // namespace
}  // namespace leadline::probe::fem2d
