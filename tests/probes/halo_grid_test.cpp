#include "benchmarks/mpi/halo_grid.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

using namespace leadline::probe;

namespace {

// Ranks fill the nodes one after the other.
std::vector<int> full_nodes(int nodes, int tasks) {
  std::vector<int> node_of_rank;
  for (int rank = 0; rank < nodes * tasks; ++rank) node_of_rank.push_back(rank / tasks);
  return node_of_rank;
}

int off_node(const Grid& grid, const std::vector<int>& node_of_cell) {
  return busiest(off_node_messages(grid, face_steps(grid.dimensions()), node_of_cell));
}

int off_node_bunched(const Grid& grid, const std::vector<int>& node_of_rank) {
  const Steps steps = face_steps(grid.dimensions());
  return off_node(grid, bunched_nodes(grid, steps, node_of_rank));
}

}  // namespace

TEST_CASE("a grid is as square as its tasks allow") {
  CHECK(near_equal_factors(1, 2) == Coordinates{1, 1});
  CHECK(near_equal_factors(6, 2) == Coordinates{3, 2});
  CHECK(near_equal_factors(7, 2) == Coordinates{7, 1});
  CHECK(near_equal_factors(1024, 2) == Coordinates{32, 32});
  CHECK(near_equal_factors(1920, 2) == Coordinates{48, 40});
  CHECK(near_equal_factors(12, 3) == Coordinates{3, 2, 2});
  CHECK(near_equal_factors(64, 3) == Coordinates{4, 4, 4});
}

TEST_CASE("a step and its opposite lead back, and the lists hold every direction once") {
  for (const Steps& steps : {face_steps(2), corner_steps(), face_steps(3)}) {
    CHECK(std::set<Coordinates>(steps.begin(), steps.end()).size() == steps.size());
    for (std::size_t step = 0; step < steps.size(); ++step) {
      for (std::size_t i = 0; i < steps[step].size(); ++i) {
        CHECK(steps[step][i] == -steps[opposite(step)][i]);
      }
    }
  }
  CHECK(face_steps(3).size() == 6);
  CHECK(corner_steps().size() == 8);
  CHECK(face_steps(2)[0] == Coordinates{-1, 0});  // north
}

TEST_CASE("neighbours are where they are on the map") {
  const Grid grid({2, 3}, false);  // 0 1 2 above 3 4 5
  CHECK(grid.neighbour(4, {-1, 0}) == 1);
  CHECK(grid.neighbour(4, {0, -1}) == 3);
  CHECK(grid.neighbour(4, {0, 1}) == 5);
  CHECK(grid.neighbour(4, {-1, 1}) == 2);
  CHECK(grid.neighbour(4, {1, 0}) == kNobody);
  CHECK(grid.neighbour(5, {0, 1}) == kNobody);
  const Grid torus({2, 3}, true);
  CHECK(torus.neighbour(4, {1, 0}) == 1);
  CHECK(torus.neighbour(4, {-1, 0}) == 1);
  CHECK(torus.neighbour(5, {0, 1}) == 3);
  CHECK(torus.neighbour(0, {-1, -1}) == 5);
  const Grid one({1, 1}, true);
  CHECK(one.neighbour(0, {-1, 0}) == 0);
  const Grid box({2, 2, 2}, false);
  CHECK(box.neighbour(0, {1, 0, 0}) == 4);
  CHECK(box.neighbour(0, {0, 0, 1}) == 1);
  for (int cell = 0; cell < 8; ++cell) CHECK(box.cell(box.position(cell)) == cell);
}

// J. Hague, Switch Jitter, 2008: 1024 tasks on nodes of 16 cores.
TEST_CASE("bunching tasks cuts a node's messages from 32 to 16 as in the source") {
  const std::vector<int> nodes = full_nodes(64, 16);
  const Grid narrow({64, 16}, true);
  CHECK(off_node(narrow, nodes) == 32);
  CHECK(off_node_bunched(narrow, nodes) == 16);
  const Grid square({32, 32}, true);
  CHECK(off_node(square, nodes) == 34);
  CHECK(off_node_bunched(square, nodes) == 16);
}

TEST_CASE("bunching is never worse than the order of ranks, and gives each rank one cell") {
  const std::vector<std::vector<int>> placements{
      full_nodes(1, 6),         full_nodes(2, 2),  full_nodes(3, 4),
      full_nodes(4, 9),         full_nodes(5, 7),  {0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2},
      {0, 1, 0, 1, 0, 1, 0, 1}, {3, 3, 8, 8, 8, 8}};
  for (const std::vector<int>& node_of_rank : placements) {
    const auto tasks = static_cast<int>(node_of_rank.size());
    for (const int dimensions : {2, 3}) {
      for (const bool periodic : {true, false}) {
        const Grid grid(near_equal_factors(tasks, dimensions), periodic);
        const std::vector<int> node_of_cell =
            bunched_nodes(grid, face_steps(dimensions), node_of_rank);
        CHECK(off_node(grid, node_of_cell) <= off_node(grid, node_of_rank));
        const std::vector<int> cells = cells_of_ranks(node_of_rank, node_of_cell);
        CHECK(std::set<int>(cells.begin(), cells.end()).size() == node_of_rank.size());
        for (std::size_t rank = 0; rank < cells.size(); ++rank) {
          CHECK(node_of_cell[static_cast<std::size_t>(cells[rank])] == node_of_rank[rank]);
        }
      }
    }
  }
}

TEST_CASE("ranks that were dealt out like cards are brought together") {
  const Grid grid({4, 4}, true);
  std::vector<int> dealt;
  for (int rank = 0; rank < 16; ++rank) dealt.push_back(rank % 4);
  // Columns: both neighbours east and west are elsewhere. Blocks of 2x2: two messages a task.
  CHECK(off_node(grid, dealt) == 8);
  std::vector<int> scattered;
  for (int rank = 0; rank < 16; ++rank) scattered.push_back((rank + rank / 4) % 4);
  CHECK(off_node(grid, scattered) == 16);
  CHECK(off_node_bunched(grid, scattered) == 8);
}

TEST_CASE("on one node no message leaves it and ranks stay in order") {
  const std::vector<int> node_of_rank = full_nodes(1, 12);
  const Grid grid({4, 3}, true);
  CHECK(off_node(grid, node_of_rank) == 0);
  const std::vector<int> cells =
      cells_of_ranks(node_of_rank, bunched_nodes(grid, face_steps(2), node_of_rank));
  for (int rank = 0; rank < 12; ++rank) CHECK(cells[static_cast<std::size_t>(rank)] == rank);
}
