// The nested lattices: who holds what, and that halos and sums carry it.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "applications/fem2d/lattice.hpp"

using namespace leadline::probe;
using namespace leadline::probe::fem2d;

namespace {

std::int64_t nodes(const Rectangle& rectangle) {
  return rectangle.empty() ? 0 : rectangle.width() * rectangle.height();
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// A number that no other node has.
double number(std::int64_t i, std::int64_t j) { return static_cast<double>(1000 * j + i + 1); }

struct Ranks {
  int rank = 0;
  int size = 1;
  Ranks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
};

}  // namespace

TEST_CASE("parts cover the finest lattice once, and coarser nodes follow the finer") {
  for (int processes = 1; processes <= 128; ++processes) {
    const Case problem{.level = 3};
    const ProcessGrid grid = process_grid(processes);
    CHECK(grid.columns * grid.rows <= processes);
    std::vector<std::int64_t> sum(5);
    for (int rank = 0; rank < processes; ++rank) {
      const std::vector<Lattice> all = lattices(problem, grid, rank);
      REQUIRE(all.size() == sum.size());
      for (std::size_t level = 0; level < all.size(); ++level) {
        sum[level] += nodes(all[level].own);
        const bool idle = rank >= grid.columns * grid.rows;
        if (!all[level].replicated && !idle) CHECK(all[level].own.width() >= 2);
        if (level == 0) continue;
        const Rectangle& fine = all[level].own;
        CHECK(all[level - 1].own ==
              Rectangle{divided_up(fine.i_begin, 2), divided_up(fine.i_end, 2),
                        divided_up(fine.j_begin, 2), divided_up(fine.j_end, 2)});
      }
    }
    for (std::size_t level = 0; level < sum.size(); ++level) {
      const std::int64_t n = (std::int64_t{8} << level) + 1;
      CHECK(sum[level] == n * n);
    }
  }
}

TEST_CASE("powers of two hold whole coarse squares, and 128 processes half ones") {
  for (const int processes : {2, 4, 8, 16, 32, 64, 128}) {
    const ProcessGrid grid = process_grid(processes);
    CHECK(grid.columns * grid.rows == processes);
    CHECK(8 % grid.columns == 0);
    CHECK((processes == 128 ? 16 : 8) % grid.rows == 0);
  }
}

TEST_CASE("nodes where u is given are no unknowns") {
  const std::vector<Lattice> a = lattices({.level = 3, .problem = Problem::kA}, {1, 1}, 0);
  CHECK(a[4].unknowns == Rectangle{1, 129, 1, 129});
  const std::vector<Lattice> b = lattices({.level = 3, .problem = Problem::kB}, {2, 2}, 3);
  CHECK(b[4].unknowns == Rectangle{64, 128, 64, 128});
  CHECK(b[3].unknowns == Rectangle{1, 64, 1, 64});
}

TEST_CASE_TEMPLATE("a halo holds the neighbours' nodes and nothing beyond the square", AnyField,
                   Field<float>, Field<double>, SplitField<float>, SplitField<double>) {
  using Real = typename AnyField::Value;
  const Ranks ranks;
  const ProcessGrid grid = process_grid(ranks.size);
  CommunicationTime time;
  Exchange exchange(grid, MPI_COMM_WORLD, time);
  for (const Lattice& lattice : lattices({.level = 3}, grid, ranks.rank)) {
    if (lattice.replicated) continue;
    for (const std::int64_t layers : {1, 2}) {
      AnyField field(lattice);
      const Rectangle& own = lattice.own;
      for (std::int64_t j = own.j_begin; j < own.j_end; ++j) {
        for (std::int64_t i = own.i_begin; i < own.i_end; ++i) {
          *field.at(i, j) = static_cast<Real>(number(i, j));
        }
      }
      exchange.halo(lattice, field, layers);
      const std::int64_t n = lattice.intervals;
      std::int64_t wrong = 0;
      if (own.empty()) continue;
      for (std::int64_t j = own.j_begin - 2; j < own.j_end + 2; ++j) {
        for (std::int64_t i = own.i_begin - 2; i < own.i_end + 2; ++i) {
          const bool known = i >= std::max<std::int64_t>(0, own.i_begin - layers) &&
                             i < std::min(n + 1, own.i_end + layers) &&
                             j >= std::max<std::int64_t>(0, own.j_begin - layers) &&
                             j < std::min(n + 1, own.j_end + layers);
          const Real right = known ? static_cast<Real>(number(i, j)) : Real{0};
          if (*field.at(i, j) != right) ++wrong;
        }
      }
      CHECK(wrong == 0);
    }
  }
  if (ranks.size > 1) CHECK(time.seconds() > 0.0);
}

TEST_CASE("what is shared is known to all, with the sums that go with it") {
  const Ranks ranks;
  const ProcessGrid grid = process_grid(ranks.size);
  CommunicationTime time;
  Exchange exchange(grid, MPI_COMM_WORLD, time);
  for (const Lattice& lattice : lattices({.level = 4}, grid, ranks.rank)) {
    if (!lattice.replicated) continue;
    Field<double> field(lattice);
    for (std::int64_t j = lattice.own.j_begin; j < lattice.own.j_end; ++j) {
      for (std::int64_t i = lattice.own.i_begin; i < lattice.own.i_end; ++i) {
        *field.at(i, j) = number(i, j);
      }
    }
    std::array<double, 2> more{1.0, static_cast<double>(ranks.rank)};
    exchange.share(lattice, field, more);
    CHECK(more[0] == ranks.size);
    CHECK(more[1] == ranks.size * (ranks.size - 1) / 2);
    std::int64_t wrong = 0;
    for (std::int64_t j = 0; j <= lattice.intervals; ++j) {
      for (std::int64_t i = 0; i <= lattice.intervals; ++i) {
        if (*field.at(i, j) != number(i, j)) ++wrong;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("rows of a field begin at a cache line") {
  for (const Lattice& lattice : lattices({.level = 3}, {3, 2}, 4)) {
    Field<double> field(lattice);
    Field<float> single(lattice);
    for (const std::int64_t j : {lattice.held.j_begin, lattice.held.j_begin + 1}) {
      CHECK(reinterpret_cast<std::uintptr_t>(field.at(lattice.held.i_begin, j)) % 64 == 0);
      CHECK(reinterpret_cast<std::uintptr_t>(single.at(lattice.held.i_begin, j)) % 64 == 0);
    }
  }
}
