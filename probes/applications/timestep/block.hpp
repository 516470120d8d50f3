// One block of a catchment in a rain storm: a sheet of water flows over land to the lower of two
// cells, by the law of laminar sheet flow with the depth of the higher one (a diffusive wave: V. M.
// Ponce, "Engineering Hydrology", 1989, chapters 4 and 9), and a part of it enters a drainage
// network, in which levels settle by sweeps of Jacobi's method. No water crosses the edges of the
// catchment.
//
// The arithmetic of a cell or node is the same in every block, so results do not depend on how the
// catchment is divided, to the last bit.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "applications/timestep/catchment.hpp"
#include "applications/timestep/exchange.hpp"

namespace leadline::probe::timestep {

inline constexpr double kStepSeconds = 60.0;
inline constexpr double kCellMetres = 10.0;

class Block {
 public:
  Block(const Catchment& catchment, const Area& area);

  // The cells whose data are needed: the block and one cell around it, as far as there are any.
  const Area& input_area() const { return input_area_; }
  // Builds the data from these values of each field, and begins anew, with as much water on each
  // cell and none in the drains. Cells come row by row.
  void start(const std::array<std::vector<double>, kFields.size()>& input);

  // Numbers that pass a side: depths of cells, and levels of nodes.
  std::array<std::size_t, 4> edge_cells() const;
  std::array<std::size_t, 4> edge_nodes() const;

  // One time step.
  void advance(Exchange& depths, Exchange& levels);

  // m; of any cell of this block.
  double depth(int row, int column) const;
  // m over one cell; of any node of this block, by its place in the whole network.
  double level(int node_row, int node_column) const;
  Range node_rows() const { return node_rows_; }
  Range node_columns() const { return node_columns_; }
  const Area& area() const { return area_; }
  // What the block holds, and what one time step rains on it: m over one cell.
  double water() const;
  double rain() const;
  // Numbers of this block that are not, bit by bit, those of another that holds them too.
  std::size_t differences(const Block& reference) const;

 private:
  std::size_t at(int row, int column) const;  // of the padded block: -1 is the cell before
  std::size_t node(int row, int column) const;
  void share_depths(Exchange& exchange);
  void flow_over_land();
  void enter_drains();
  void share_levels(Exchange& exchange);
  void settle_drains();

  Area area_;
  Area input_area_;
  int sweeps_;
  std::size_t stride_;
  std::vector<double> elevation_;   // m
  std::vector<double> conveyance_;  // share of depth^3 that passes for 1 m of fall; 0 outside
  std::vector<double> rain_;        // m in a time step
  std::vector<double> depth_;       // m
  std::vector<double> northward_;   // what comes over the northern edge of each cell of a row
  std::vector<double> southward_;   // and goes over the southern one
  std::vector<double> eastward_;    // and the eastern one, from the cell before the first on

  Range node_rows_;
  Range node_columns_;
  std::vector<std::size_t> node_cells_;
  std::size_t node_stride_;
  std::vector<double> level_;
  std::vector<double> settled_;
};

}  // namespace leadline::probe::timestep
