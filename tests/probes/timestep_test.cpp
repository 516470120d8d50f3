#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <set>
#include <vector>

#include "applications/timestep/block.hpp"
#include "applications/timestep/input.hpp"
#include "comm/thread_world.hpp"
#include "harness/coordinate.hpp"

using namespace leadline::probe;
using namespace leadline::probe::timestep;

namespace {

constexpr std::uint64_t kSeed = 11;

Halo halo_of(World& world, const ProcessGrid& grid, const std::array<std::size_t, 4>& counts) {
  Halo halo{.counts = counts};
  for (const Side side : kSides) halo.neighbours[side] = neighbour(grid, world.rank(), side);
  halo.stride =
      agree(world, std::max(std::max(counts[0], counts[1]), std::max(counts[2], counts[3])),
            take_maximum<std::size_t>);
  return halo;
}

// The whole catchment on one process, after some steps.
Block alone(const Catchment& catchment, int steps) {
  Block block(catchment, catchment.whole());
  ReferenceExchange depths({.counts = block.edge_cells()}, nullptr);
  ReferenceExchange levels({.counts = block.edge_nodes()}, nullptr);
  block.start(make_input(block.input_area(), kSeed));
  for (int i = 0; i < steps; ++i) block.advance(depths, levels);
  return block;
}

// Delivers what was given in the call before.
class Stale : public ReferenceExchange {
 public:
  Stale(const Halo& halo, World* world) : ReferenceExchange(halo, world) {}
  void call() override {
    ReferenceExchange::call();
    std::vector<double> newest(in(), in() + 4 * halo().stride);
    before_.resize(newest.size());
    for (const Side side : kSides) {
      for (std::size_t i = 0; i < incoming(side).size(); ++i) {
        const_cast<double&>(incoming(side)[i]) = before_[side * halo().stride + i];
      }
    }
    before_ = newest;
  }

 private:
  std::vector<double> before_;
};

// Numbers that differ between this many processes, together, and one.
template <typename Levels = ReferenceExchange>
std::size_t differences(const Catchment& catchment, int processes, int steps) {
  const Block reference = alone(catchment, steps);
  const ProcessGrid grid = process_grid(processes);
  std::size_t found = 0;
  run_threads({.ranks = processes}, [&](ThreadWorld& world) {
    Block block(catchment, catchment.block(grid, world.rank()));
    REQUIRE(block.node_rows().size() > 0);
    REQUIRE(block.node_columns().size() > 0);
    ReferenceExchange depths(halo_of(world, grid, block.edge_cells()), &world);
    Levels levels(halo_of(world, grid, block.edge_nodes()), &world);
    block.start(make_input(block.input_area(), kSeed));
    for (int i = 0; i < steps; ++i) block.advance(depths, levels);
    const std::size_t own = agree(world, block.differences(reference), take_sum<std::size_t>);
    if (world.rank() == 0) found = own;
  });
  return found;
}

}  // namespace

TEST_CASE("processes form a grid as square as their number allows") {
  const auto is = [](int processes, int rows, int columns) {
    const ProcessGrid grid = process_grid(processes);
    return grid.rows == rows && grid.columns == columns;
  };
  CHECK(is(1, 1, 1));
  CHECK(is(2, 2, 1));
  CHECK(is(6, 3, 2));
  CHECK(is(7, 7, 1));
  CHECK(is(16, 4, 4));
}

TEST_CASE("blocks share the catchment, and neighbours know each other") {
  for (const int processes : {1, 2, 5, 6, 12}) {
    const ProcessGrid grid = process_grid(processes);
    const Catchment catchment = make_catchment(37, 29, grid, 2, 1);
    std::set<std::pair<int, int>> cells;
    for (int rank = 0; rank < processes; ++rank) {
      const Area area = catchment.block(grid, rank);
      for (int i = area.rows.begin; i < area.rows.end; ++i) {
        for (int j = area.columns.begin; j < area.columns.end; ++j) {
          CHECK(cells.insert({i, j}).second);
        }
      }
      const Block block(catchment, area);
      for (const Side side : kSides) {
        CHECK(block.edge_nodes()[side] == 2);
        const int there = neighbour(grid, rank, side);
        if (there != kNobody) CHECK(neighbour(grid, there, opposite(side)) == rank);
      }
    }
    CHECK(cells.size() == 37 * 29);
  }
}

TEST_CASE("results do not depend on how the catchment is divided, to the last bit") {
  const Catchment catchment = make_catchment(41, 31, {3, 2}, 3, 5);
  for (const int processes : {1, 2, 3, 4, 6, 8}) {
    CAPTURE(processes);
    CHECK(differences(catchment, processes, 3) == 0);
  }
}

TEST_CASE("values of the sweep before are noticed") {
  const Catchment catchment = make_catchment(41, 31, {3, 2}, 3, 5);
  CHECK(differences<Stale>(catchment, 2, 1) > 0);
  CHECK(differences<Stale>(catchment, 6, 3) > 0);
}

TEST_CASE("water is neither lost nor made, and never less than none") {
  const Catchment catchment = make_catchment(60, 50, {2, 2}, 4, 20);
  const Block first = alone(catchment, 0);
  const Block last = alone(catchment, 12);
  const double expected = first.water() + 12 * first.rain();
  CHECK(std::abs(last.water() - expected) < 1e-12 * expected);
  double moved = 0.0;
  for (int i = 0; i < catchment.rows; ++i) {
    for (int j = 0; j < catchment.columns; ++j) {
      CHECK(last.depth(i, j) > 0.0);
      moved += std::abs(last.depth(i, j) - first.depth(i, j));
    }
  }
  CHECK(moved > 0.1 * first.water());
}

TEST_CASE("water flows from the higher of two cells by the law of laminar sheet flow") {
  // Two cells and, far from them in its own cell of the same column, the only node.
  const Catchment catchment{.rows = 3, .columns = 1, .drain_rows = {2}, .drain_columns = {0}};
  Block block(catchment, catchment.whole());
  ReferenceExchange depths({.counts = block.edge_cells()}, nullptr);
  ReferenceExchange levels({.counts = block.edge_nodes()}, nullptr);
  constexpr double kRoughness = 2e-3;
  // The third cell is level with the second, so that nothing flows there.
  block.start({{{11.0, 10.5, 10.5}, {kRoughness, kRoughness / 2, kRoughness}, {0.0, 0.0, 0.0}}});
  const double depth = block.depth(0, 0);
  block.advance(depths, levels);
  // q = depth^3 slope / roughness through an edge of 10 m, for 60 s, from a cell of 100 m^2; the
  // rougher of the two cells counts.
  const double moved = std::pow(depth, 3) * (0.5 / 10.0) / kRoughness * 10.0 * 60.0 / 100.0;
  CHECK(block.depth(0, 0) == doctest::Approx(depth - moved).epsilon(1e-12));
  CHECK(block.depth(1, 0) == doctest::Approx(depth + moved).epsilon(1e-12));
  CHECK(block.level(0, 0) == doctest::Approx(0.1 * depth).epsilon(1e-12));
}

TEST_CASE("drains settle as the eigenvalues of Jacobi's method say") {
  constexpr int kNodes = 8;
  constexpr int kSweeps = 13;
  Catchment catchment = make_catchment(40, 40, {1, 1}, kNodes, 0);
  const Block before = alone(catchment, 1);
  catchment.sweeps = kSweeps;
  const Block after = alone(catchment, 1);
  for (const int wave : {0, 1, 3}) {
    const auto amplitude = [&](const Block& block) {
      double sum = 0.0;
      for (int i = 0; i < kNodes; ++i) {
        for (int j = 0; j < kNodes; ++j) {
          sum += block.level(i, j) * std::cos(std::numbers::pi * wave * (i + 0.5) / kNodes);
        }
      }
      return sum;
    };
    const double factor = 1.0 - 0.4 * (1.0 - std::cos(std::numbers::pi * wave / kNodes));
    CHECK(amplitude(after) ==
          doctest::Approx(amplitude(before) * std::pow(factor, kSweeps)).epsilon(1e-9));
  }
}

TEST_CASE("a block reads its part of the files, which go with their owner") {
  const ProcessGrid grid = process_grid(6);
  const Catchment catchment = make_catchment(13, 11, grid, 2, 1);
  const auto files_here = [] {
    std::size_t found = 0;
    for (const auto& each : std::filesystem::directory_iterator(".")) {
      found += each.path().filename().string().starts_with("leadline-") ? 1 : 0;
    }
    return found;
  };
  const std::size_t before = files_here();
  run_threads({.ranks = 6}, [&](ThreadWorld& world) {
    const InputFiles files(world, catchment);
    if (world.rank() == 0) {
      files.write(1);
      files.write(kSeed);
      CHECK(files_here() == before + 3);
    }
    barrier(world);
    const Block block(catchment, catchment.block(grid, world.rank()));
    Input input;
    files.read(read_by_rows, block.input_area(), input);
    CHECK(input == make_input(block.input_area(), kSeed));
    barrier(world);
  });
  CHECK(files_here() == before);
}
