#include "applications/timestep/catchment.hpp"

#include "harness/content.hpp"

namespace leadline::probe::timestep {
namespace {

Range part(int whole, int parts, int index) {
  const auto boundary = [&](int i) {
    return static_cast<int>(static_cast<std::int64_t>(whole) * i / parts);
  };
  return {boundary(index), boundary(index + 1)};
}

// In the middle of `nodes` equal stretches of each part.
std::vector<int> node_places(int whole, int parts, int nodes) {
  std::vector<int> places;
  for (int i = 0; i < parts; ++i) {
    const Range range = part(whole, parts, i);
    for (int node = 0; node < nodes; ++node) {
      const auto along = (std::int64_t{2} * node + 1) * range.size() / (std::int64_t{2} * nodes);
      places.push_back(range.begin + static_cast<int>(along));
    }
  }
  return places;
}

}  // namespace

ProcessGrid process_grid(int processes) {
  int columns = 1;
  for (int i = 1; i <= processes / i; ++i) {
    if (processes % i == 0) columns = i;
  }
  return {processes / columns, columns};
}

int neighbour(const ProcessGrid& grid, int rank, Side side) {
  const int row = rank / grid.columns + (side == kSouth) - (side == kNorth);
  const int column = rank % grid.columns + (side == kEast) - (side == kWest);
  const bool inside = row >= 0 && row < grid.rows && column >= 0 && column < grid.columns;
  return inside ? row * grid.columns + column : kNobody;
}

const char* field_name(Field field) {
  switch (field) {
    case Field::kElevation:
      return "elevation";
    case Field::kRoughness:
      return "roughness";
    case Field::kRain:
      return "rain";
  }
  return "";
}

Area Catchment::block(const ProcessGrid& grid, int rank) const {
  return {part(rows, grid.rows, rank / grid.columns),
          part(columns, grid.columns, rank % grid.columns)};
}

Catchment make_catchment(int rows, int columns, const ProcessGrid& grid, int nodes, int sweeps) {
  return {.rows = rows,
          .columns = columns,
          .drain_rows = node_places(rows, grid.rows, nodes),
          .drain_columns = node_places(columns, grid.columns, nodes),
          .sweeps = sweeps};
}

double field_value(Field field, std::uint64_t seed, int row, int column) {
  const auto cell = static_cast<std::uint64_t>(row) << 32U | static_cast<std::uint32_t>(column);
  const auto stream = content_word(seed, static_cast<std::uint64_t>(field));
  const double chance = static_cast<double>(scatter(stream ^ cell) >> 11U) * 0x1p-53;
  switch (field) {
    case Field::kElevation:
      return 500.0 - 0.3 * row + 0.4 * chance;
    case Field::kRoughness:
      return 5e-4 * (1.0 + chance);
    case Field::kRain:
      return 1e-6 * (1.0 + 4.0 * chance);
  }
  return 0.0;
}

}  // namespace leadline::probe::timestep
