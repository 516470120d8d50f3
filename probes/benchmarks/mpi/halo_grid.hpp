// Tasks on a grid of any number of dimensions: who is whose neighbour, which tasks share a node,
// and how many messages leave it. Nothing here needs MPI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace leadline::probe {

// One number for each dimension.
using Coordinates = std::vector<int>;

inline constexpr int kNobody = -1;

// A direction: -1, 0 or 1 in each dimension. In two dimensions the first is rows, from north to
// south, and the second columns, from west to east. Each list of steps holds a step and its
// opposite side by side.
using Steps = std::vector<Coordinates>;

constexpr std::size_t opposite(std::size_t step) { return step ^ 1U; }

inline Steps face_steps(int dimensions) {
  Steps steps;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    for (const int way : {-1, 1}) {
      Coordinates step(static_cast<std::size_t>(dimensions), 0);
      step[static_cast<std::size_t>(dimension)] = way;
      steps.push_back(step);
    }
  }
  return steps;
}

// Those of a plane, and the diagonal ones.
inline Steps corner_steps() {
  Steps steps = face_steps(2);
  for (const Coordinates& step : Steps{{-1, -1}, {1, 1}, {-1, 1}, {1, -1}}) steps.push_back(step);
  return steps;
}

// So many factors of `tasks` with the least sum, largest first: a grid as square as possible.
inline Coordinates near_equal_factors(int tasks, int dimensions) {
  if (dimensions == 1) return {tasks};
  Coordinates best;
  for (int factor = 1; factor <= tasks; ++factor) {
    if (tasks % factor != 0) continue;
    Coordinates factors = near_equal_factors(tasks / factor, dimensions - 1);
    factors.push_back(factor);
    const auto sum = [](const Coordinates& all) {
      return std::accumulate(all.begin(), all.end(), 0);
    };
    if (best.empty() || sum(factors) < sum(best)) best = factors;
  }
  std::ranges::sort(best, std::greater());
  return best;
}

// Cells are numbered with the last dimension fastest: in rows from north to south.
class Grid {
 public:
  Grid(Coordinates extents, bool periodic) : extents_(std::move(extents)), periodic_(periodic) {}

  const Coordinates& extents() const { return extents_; }
  int dimensions() const { return static_cast<int>(extents_.size()); }
  int cells() const {
    return std::accumulate(extents_.begin(), extents_.end(), 1, std::multiplies());
  }
  Coordinates position(int cell) const {
    Coordinates position(extents_.size());
    for (std::size_t i = extents_.size(); i-- > 0;) {
      position[i] = cell % extents_[i];
      cell /= extents_[i];
    }
    return position;
  }
  int cell(const Coordinates& position) const {
    int cell = 0;
    for (std::size_t i = 0; i < extents_.size(); ++i) cell = cell * extents_[i] + position[i];
    return cell;
  }
  // kNobody beyond the edge of a grid that is not periodic. A task can be its own neighbour, and
  // the same one in several directions.
  int neighbour(int cell, const Coordinates& step) const {
    Coordinates there = position(cell);
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      there[i] += step[i];
      if (periodic_) there[i] = (there[i] + extents_[i]) % extents_[i];
      if (there[i] < 0 || there[i] >= extents_[i]) return kNobody;
    }
    return this->cell(there);
  }

 private:
  Coordinates extents_;
  bool periodic_;
};

// Messages that the tasks of each node send to other nodes in one exchange.
inline std::map<int, int> off_node_messages(const Grid& grid, const Steps& steps,
                                            const std::vector<int>& node_of_cell) {
  std::map<int, int> messages;
  for (int cell = 0; cell < grid.cells(); ++cell) {
    const int node = node_of_cell[static_cast<std::size_t>(cell)];
    int& count = messages[node];
    for (const Coordinates& step : steps) {
      const int there = grid.neighbour(cell, step);
      if (there != kNobody && node_of_cell[static_cast<std::size_t>(there)] != node) ++count;
    }
  }
  return messages;
}

inline int busiest(const std::map<int, int>& messages) {
  int most = 0;
  for (const auto& [node, count] : messages) most = std::max(most, count);
  return most;
}

namespace bunching {

// Gives the cells to the nodes first to last by halving both: the part of the grid that the first
// half of the nodes gets is cut off across its longest side.
inline void bisect(const Grid& grid, std::vector<int> cells,
                   const std::vector<std::pair<int, int>>& nodes_and_tasks,
                   std::vector<int>& node_of_cell) {
  if (nodes_and_tasks.size() == 1) {
    for (const int cell : cells) {
      node_of_cell[static_cast<std::size_t>(cell)] = nodes_and_tasks[0].first;
    }
    return;
  }
  std::size_t longest = 0;
  int length = -1;
  for (std::size_t i = 0; i < grid.extents().size(); ++i) {
    const auto along = [&](int cell) { return grid.position(cell)[i]; };
    const auto [low, high] = std::ranges::minmax(cells, {}, along);
    if (along(high) - along(low) > length) {
      length = along(high) - along(low);
      longest = i;
    }
  }
  std::ranges::stable_sort(cells, {}, [&](int cell) { return grid.position(cell)[longest]; });
  const auto middle =
      nodes_and_tasks.begin() + static_cast<std::ptrdiff_t>(nodes_and_tasks.size() / 2);
  std::ptrdiff_t first_tasks = 0;
  for (auto node = nodes_and_tasks.begin(); node != middle; ++node) first_tasks += node->second;
  const auto cut = cells.begin() + first_tasks;
  bisect(grid, {cells.begin(), cut}, {nodes_and_tasks.begin(), middle}, node_of_cell);
  bisect(grid, {cut, cells.end()}, {middle, nodes_and_tasks.end()}, node_of_cell);
}

// Every shape of block of so many cells that tiles the grid.
inline std::vector<Coordinates> tiles(const Coordinates& extents, int cells) {
  if (extents.empty())
    return cells == 1 ? std::vector<Coordinates>{{}} : std::vector<Coordinates>{};
  std::vector<Coordinates> found;
  for (int length = 1; length <= extents[0]; ++length) {
    if (extents[0] % length != 0 || cells % length != 0) continue;
    for (Coordinates& rest : tiles({extents.begin() + 1, extents.end()}, cells / length)) {
      rest.insert(rest.begin(), length);
      found.push_back(rest);
    }
  }
  return found;
}

inline std::vector<int> tiled(const Grid& grid, const Coordinates& tile,
                              const std::vector<std::pair<int, int>>& nodes_and_tasks) {
  Coordinates blocks = grid.extents();
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] /= tile[i];
  const Grid coarse(blocks, false);
  std::vector<int> node_of_cell;
  for (int cell = 0; cell < grid.cells(); ++cell) {
    Coordinates block = grid.position(cell);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] /= tile[i];
    node_of_cell.push_back(nodes_and_tasks[static_cast<std::size_t>(coarse.cell(block))].first);
  }
  return node_of_cell;
}

}  // namespace bunching

// The node of each cell such that each node holds a compact part of the grid: of the equal blocks
// that tile it, of a recursive bisection, and of the order of ranks itself, the one in which the
// busiest node sends the fewest messages to others, and then all nodes together.
inline std::vector<int> bunched_nodes(const Grid& grid, const Steps& steps,
                                      const std::vector<int>& node_of_rank) {
  std::map<int, int> tasks;
  for (const int node : node_of_rank) ++tasks[node];
  const std::vector<std::pair<int, int>> nodes(tasks.begin(), tasks.end());
  std::vector<std::vector<int>> candidates{node_of_rank};
  const auto equal = [&](const auto& node) { return node.second == nodes[0].second; };
  if (std::ranges::all_of(nodes, equal)) {
    for (const Coordinates& tile : bunching::tiles(grid.extents(), nodes[0].second)) {
      candidates.push_back(bunching::tiled(grid, tile, nodes));
    }
  }
  std::vector<int> cells(node_of_rank.size());
  std::iota(cells.begin(), cells.end(), 0);
  candidates.emplace_back(node_of_rank.size());
  bunching::bisect(grid, cells, nodes, candidates.back());
  return std::ranges::min(candidates, {}, [&](const std::vector<int>& node_of_cell) {
    const auto messages = off_node_messages(grid, steps, node_of_cell);
    int total = 0;
    for (const auto& [node, count] : messages) total += count;
    return std::pair(busiest(messages), total);
  });
}

// The cell of each rank where the cells belong to those nodes: a node's ranks take its cells in
// order.
inline std::vector<int> cells_of_ranks(const std::vector<int>& node_of_rank,
                                       const std::vector<int>& node_of_cell) {
  std::map<int, std::vector<int>> ranks;
  for (std::size_t rank = node_of_rank.size(); rank-- > 0;) {
    ranks[node_of_rank[rank]].push_back(static_cast<int>(rank));
  }
  std::vector<int> cell_of_rank(node_of_rank.size());
  for (std::size_t cell = 0; cell < node_of_cell.size(); ++cell) {
    std::vector<int>& waiting = ranks[node_of_cell[cell]];
    if (waiting.empty()) throw std::logic_error("a node has more cells than ranks");
    cell_of_rank[static_cast<std::size_t>(waiting.back())] = static_cast<int>(cell);
    waiting.pop_back();
  }
  return cell_of_rank;
}

}  // namespace leadline::probe
