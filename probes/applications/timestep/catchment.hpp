// A catchment of square cells, and how it is divided among processes: what all of them know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leadline::probe::timestep {

// From `begin` to before `end`.
struct Range {
  int begin = 0;
  int end = 0;
  int size() const { return end - begin; }
  bool has(int place) const { return begin <= place && place < end; }
};

// Cells; rows count from north to south, columns from west to east.
struct Area {
  Range rows;
  Range columns;
  std::size_t cells() const {
    return static_cast<std::size_t>(rows.size()) * static_cast<std::size_t>(columns.size());
  }
};

enum Side : std::size_t { kNorth, kSouth, kWest, kEast };
inline constexpr std::array kSides{kNorth, kSouth, kWest, kEast};
constexpr Side opposite(Side side) { return static_cast<Side>(side ^ 1U); }

inline constexpr int kNobody = -1;

// Processes in rows, each with a block of cells.
struct ProcessGrid {
  int rows = 1;
  int columns = 1;
  int processes() const { return rows * columns; }
};

// As square as their number allows, with no more columns than rows.
ProcessGrid process_grid(int processes);
// kNobody beyond the edge.
int neighbour(const ProcessGrid& grid, int rank, Side side);

// What is read from a file for every cell.
enum class Field { kElevation, kRoughness, kRain };
inline constexpr std::array kFields{Field::kElevation, Field::kRoughness, Field::kRain};
const char* field_name(Field field);

struct Catchment {
  int rows = 1;
  int columns = 1;
  // The drainage network has a node wherever one of these rows meets one of these columns.
  std::vector<int> drain_rows = {};
  std::vector<int> drain_columns = {};
  int sweeps = 1;  // of the network in one time step

  Area whole() const { return {{0, rows}, {0, columns}}; }
  Area block(const ProcessGrid& grid, int rank) const;
};

// A catchment of so many cells whose network has `nodes` nodes along each side of each block, so
// that as many values pass each side in a sweep. Each block is at least `nodes` cells wide.
Catchment make_catchment(int rows, int columns, const ProcessGrid& grid, int nodes, int sweeps);

// The data of a seed: elevation in m, falling to the south, roughness in s m (the inverse of the
// conveyance of a sheet of water), and rain in m/s.
double field_value(Field field, std::uint64_t seed, int row, int column);

}  // namespace leadline::probe::timestep
