// The nested lattices: who holds what.
#include <doctest/doctest.h>

#include <vector>

#include "applications/fem2d/lattice.hpp"

using namespace leadline::probe;
using namespace leadline::probe::fem2d;

namespace {

std::int64_t nodes(const Rectangle& rectangle) {
  return rectangle.empty() ? 0 : rectangle.width() * rectangle.height();
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

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
