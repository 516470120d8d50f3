#include "applications/timestep/block.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace leadline::probe::timestep {
namespace {

// m on every cell: it has rained before.
constexpr double kFirstDepth = 0.01;
// Of the water on its cell, what enters a node in a time step.
constexpr double kIntake = 0.1;
// Of the difference between two nodes, what one sweep evens out: less than a quarter is stable.
constexpr double kSettling = 0.2;

Range nodes_in(const std::vector<int>& places, const Range& cells) {
  const auto first = std::ranges::lower_bound(places, cells.begin);
  const auto last = std::ranges::lower_bound(places, cells.end);
  return {static_cast<int>(first - places.begin()), static_cast<int>(last - places.begin())};
}

Range widened(const Range& range, int most) {
  return {std::max(0, range.begin - 1), std::min(most, range.end + 1)};
}

// m in a time step from one cell to the next, where the second is lower by `fall` metres.
inline double flow(double fall, double depth, double next_depth, double conveyance) {
  const double upstream = fall > 0.0 ? depth : next_depth;
  return conveyance * upstream * upstream * upstream * fall;
}

std::size_t padded(int rows, int columns) {
  return static_cast<std::size_t>(rows + 2) * static_cast<std::size_t>(columns + 2);
}

bool differ(double one, double other) {
  return std::bit_cast<std::uint64_t>(one) != std::bit_cast<std::uint64_t>(other);
}

}  // namespace

Block::Block(const Catchment& catchment, const Area& area)
    : area_(area),
      input_area_{widened(area.rows, catchment.rows), widened(area.columns, catchment.columns)},
      sweeps_(catchment.sweeps),
      stride_(static_cast<std::size_t>(area.columns.size()) + 2),
      node_rows_(nodes_in(catchment.drain_rows, area.rows)),
      node_columns_(nodes_in(catchment.drain_columns, area.columns)),
      node_stride_(static_cast<std::size_t>(node_columns_.size()) + 2) {
  const std::size_t cells = padded(area.rows.size(), area.columns.size());
  for (auto* values : {&elevation_, &conveyance_, &rain_, &depth_}) values->resize(cells);
  for (auto* values : {&northward_, &southward_, &eastward_}) values->resize(stride_);
  for (auto* values : {&level_, &settled_}) {
    values->resize(padded(node_rows_.size(), node_columns_.size()));
  }
  for (int i = node_rows_.begin; i < node_rows_.end; ++i) {
    for (int j = node_columns_.begin; j < node_columns_.end; ++j) {
      node_cells_.push_back(
          at(catchment.drain_rows[static_cast<std::size_t>(i)] - area.rows.begin,
             catchment.drain_columns[static_cast<std::size_t>(j)] - area.columns.begin));
    }
  }
}

std::size_t Block::at(int row, int column) const {
  return static_cast<std::size_t>(row + 1) * stride_ + static_cast<std::size_t>(column + 1);
}

std::size_t Block::node(int row, int column) const {
  return static_cast<std::size_t>(row + 1) * node_stride_ + static_cast<std::size_t>(column + 1);
}

void Block::start(const std::array<std::vector<double>, kFields.size()>& input) {
  const auto& [elevation, roughness, rain] = input;
  // Of 1 m of fall, in a time step: the slope over a cell, and the share of a cell that moves.
  constexpr double kReach = kStepSeconds / (kCellMetres * kCellMetres);
  std::size_t next = 0;
  for (int i = input_area_.rows.begin; i < input_area_.rows.end; ++i) {
    for (int j = input_area_.columns.begin; j < input_area_.columns.end; ++j, ++next) {
      const std::size_t cell = at(i - area_.rows.begin, j - area_.columns.begin);
      elevation_[cell] = elevation[next];
      conveyance_[cell] = kReach / roughness[next];
      rain_[cell] = rain[next] * kStepSeconds;
    }
  }
  std::ranges::fill(depth_, kFirstDepth);
  for (auto* values : {&level_, &settled_}) std::ranges::fill(*values, 0.0);
}

std::array<std::size_t, 4> Block::edge_cells() const {
  const auto across = static_cast<std::size_t>(area_.columns.size());
  const auto down = static_cast<std::size_t>(area_.rows.size());
  return {across, across, down, down};
}

std::array<std::size_t, 4> Block::edge_nodes() const {
  const auto across = static_cast<std::size_t>(node_columns_.size());
  const auto down = static_cast<std::size_t>(node_rows_.size());
  return {across, across, down, down};
}

void Block::advance(Exchange& depths, Exchange& levels) {
  share_depths(depths);
  flow_over_land();
  enter_drains();
  for (int sweep = 0; sweep < sweeps_; ++sweep) {
    share_levels(levels);
    settle_drains();
  }
}

namespace {

// Along a side of a padded array: the first of its own numbers there, the one beyond it, and the
// way from one to the next.
struct Edge {
  std::size_t own;
  std::size_t beyond;
  std::size_t step;
  std::size_t count;
};

Edge edge_of(Side side, std::size_t rows, std::size_t columns) {
  const std::size_t stride = columns + 2;
  const std::size_t first = stride + 1;
  switch (side) {
    case kNorth:
      return {first, first - stride, 1, columns};
    case kSouth:
      return {first + (rows - 1) * stride, first + rows * stride, 1, columns};
    case kWest:
      return {first, first - 1, stride, rows};
    case kEast:
      return {first + columns - 1, first + columns, stride, rows};
  }
  return {};
}

void give(const std::vector<double>& values, const Edge& edge, std::span<double> outgoing) {
  for (std::size_t i = 0; i < edge.count; ++i) outgoing[i] = values[edge.own + i * edge.step];
}

void take(std::vector<double>& values, const Edge& edge, std::span<const double> incoming) {
  for (std::size_t i = 0; i < edge.count; ++i) values[edge.beyond + i * edge.step] = incoming[i];
}

void share(std::vector<double>& values, std::size_t rows, std::size_t columns, Exchange& exchange) {
  for (const Side side : kSides) {
    if (exchange.has(side)) {
      give(values, edge_of(side, rows, columns), exchange.outgoing(side));
    }
  }
  exchange.call();
  for (const Side side : kSides) {
    if (exchange.has(side)) {
      take(values, edge_of(side, rows, columns), exchange.incoming(side));
    }
  }
}

}  // namespace

void Block::share_depths(Exchange& exchange) {
  share(depth_, static_cast<std::size_t>(area_.rows.size()),
        static_cast<std::size_t>(area_.columns.size()), exchange);
}

// Row by row, from the north. A row's own depths change when what it gives to the south is known.
void Block::flow_over_land() {
  const std::size_t columns = static_cast<std::size_t>(area_.columns.size());
  double* north = northward_.data();
  double* south = southward_.data();
  double* east = eastward_.data();
  const auto over_southern_edge = [&](int row, double* over) {
    const std::size_t first = at(row, 0);
    const double* height = elevation_.data() + first;
    const double* depth = depth_.data() + first;
    const double* here = conveyance_.data() + first;
    for (std::size_t j = 0; j < columns; ++j) {
      const double fall = (height[j] + depth[j]) - (height[j + stride_] + depth[j + stride_]);
      over[j] = flow(fall, depth[j], depth[j + stride_], std::min(here[j], here[j + stride_]));
    }
  };
  over_southern_edge(-1, north);
  for (int row = 0; row < area_.rows.size(); ++row) {
    over_southern_edge(row, south);
    const std::size_t before = at(row, -1);
    const double* height = elevation_.data() + before;
    double* depth = depth_.data() + before;
    const double* here = conveyance_.data() + before;
    for (std::size_t j = 0; j <= columns; ++j) {
      const double fall = (height[j] + depth[j]) - (height[j + 1] + depth[j + 1]);
      east[j] = flow(fall, depth[j], depth[j + 1], std::min(here[j], here[j + 1]));
    }
    double* own = depth + 1;
    const double* rain = rain_.data() + before + 1;
    for (std::size_t j = 0; j < columns; ++j) {
      own[j] += rain[j] + ((north[j] - south[j]) + (east[j] - east[j + 1]));
    }
    std::swap(north, south);
  }
}

void Block::enter_drains() {
  std::size_t next = 0;
  for (int i = 0; i < node_rows_.size(); ++i) {
    for (int j = 0; j < node_columns_.size(); ++j) {
      double& depth = depth_[node_cells_[next++]];
      const double taken = kIntake * depth;
      depth -= taken;
      level_[node(i, j)] += taken;
    }
  }
}

// Beyond the catchment the level is that of the nearest node: nothing flows.
void Block::share_levels(Exchange& exchange) {
  const auto rows = static_cast<std::size_t>(node_rows_.size());
  const auto columns = static_cast<std::size_t>(node_columns_.size());
  for (const Side side : kSides) {
    if (exchange.has(side)) continue;
    const Edge edge = edge_of(side, rows, columns);
    for (std::size_t i = 0; i < edge.count; ++i) {
      level_[edge.beyond + i * edge.step] = level_[edge.own + i * edge.step];
    }
  }
  share(level_, rows, columns, exchange);
}

void Block::settle_drains() {
  for (int i = 0; i < node_rows_.size(); ++i) {
    const double* old = level_.data() + node(i, 0);
    double* settled = settled_.data() + node(i, 0);
    for (int j = 0; j < node_columns_.size(); ++j) {
      const double own = old[j];
      const double north = *(old + j - node_stride_);
      const double south = *(old + j + node_stride_);
      settled[j] = own + kSettling * (((north - own) + (south - own)) +
                                      ((old[j - 1] - own) + (old[j + 1] - own)));
    }
  }
  std::swap(level_, settled_);
}

double Block::depth(int row, int column) const {
  return depth_[at(row - area_.rows.begin, column - area_.columns.begin)];
}

double Block::level(int node_row, int node_column) const {
  return level_[node(node_row - node_rows_.begin, node_column - node_columns_.begin)];
}

double Block::water() const {
  double water = 0.0;
  for (int i = area_.rows.begin; i < area_.rows.end; ++i) {
    for (int j = area_.columns.begin; j < area_.columns.end; ++j) water += depth(i, j);
  }
  for (int i = node_rows_.begin; i < node_rows_.end; ++i) {
    for (int j = node_columns_.begin; j < node_columns_.end; ++j) water += level(i, j);
  }
  return water;
}

double Block::rain() const {
  double rain = 0.0;
  for (int i = 0; i < area_.rows.size(); ++i) {
    const double* row = rain_.data() + at(i, 0);
    rain = std::accumulate(row, row + area_.columns.size(), rain);
  }
  return rain;
}

std::size_t Block::differences(const Block& reference) const {
  std::size_t found = 0;
  for (int i = area_.rows.begin; i < area_.rows.end; ++i) {
    for (int j = area_.columns.begin; j < area_.columns.end; ++j) {
      found += differ(depth(i, j), reference.depth(i, j));
    }
  }
  for (int i = node_rows_.begin; i < node_rows_.end; ++i) {
    for (int j = node_columns_.begin; j < node_columns_.end; ++j) {
      found += differ(level(i, j), reference.level(i, j));
    }
  }
  return found;
}

}  // namespace leadline::probe::timestep
