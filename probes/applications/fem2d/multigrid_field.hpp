// What one process holds of a lattice for multigrid.
//
// Nodes are relaxed in two colours, so a row is kept as its even nodes followed by its odd ones:
// all sweeps then go through memory one value after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "applications/large_array.hpp"

namespace leadline::probe::fem2d::multigrid {

// Sweeps of both colours over the finest lattice in one cycle.
inline constexpr int kSweeps = 2;
// Layers of the neighbours' nodes that a process holds and relaxes itself, so that a cycle fetches
// them once: relaxations reach one node further each, those of the quadratic triangles' corners
// two, and so does the residual that is restricted.
inline constexpr std::int64_t kHalo = 2 * kSweeps + 4;

// One direction of a part, in local indices: 0, the first node held, is node `first` of the
// lattice.
struct Range {
  std::int64_t first = 0;
  std::int64_t intervals = 0;  // even; nodes 0 and `intervals` are never relaxed,
  bool mirrored = false;       // but for the last where the solution continues as its mirror image
  std::int64_t own_begin = 0;
  std::int64_t own_end = 0;

  // The last node that is relaxed.
  std::int64_t last() const { return mirrored ? intervals : intervals - 1; }
};

struct Part {
  std::int64_t lattice_intervals = 0;
  Range columns;
  Range rows;
  bool replicated = false;

  bool empty() const { return columns.intervals == 0; }
};

template <typename Real>
class Field {
 public:
  // All values are zero.
  explicit Field(const Part& part)
      : half_(rounded_up(part.columns.intervals / 2 + 2)),
        rows_(part.empty() ? 0 : part.rows.intervals + 1),
        size_(static_cast<std::size_t>(2 * half_ * rows_)),
        values_(size_) {}

  // Nodes 0, 2, 4, ... and 1, 3, 5, ... of local row j.
  Real* even(std::int64_t j) { return values_.data() + 2 * half_ * j; }
  Real* odd(std::int64_t j) { return even(j) + half_; }
  const Real* even(std::int64_t j) const { return values_.data() + 2 * half_ * j; }
  const Real* odd(std::int64_t j) const { return even(j) + half_; }
  Real& at(std::int64_t i, std::int64_t j) { return even(j)[(i & 1) * half_ + i / 2]; }
  const Real& at(std::int64_t i, std::int64_t j) const { return even(j)[(i & 1) * half_ + i / 2]; }
  // From one row to the next.
  std::int64_t stride() const { return 2 * half_; }
  double bytes() const { return static_cast<double>(size_ * sizeof(Real)); }

 private:
  static std::int64_t rounded_up(std::int64_t count) {
    constexpr std::int64_t kLine = 64 / sizeof(Real);
    return (count + kLine - 1) / kLine * kLine;
  }

  std::int64_t half_;
  std::int64_t rows_;
  std::size_t size_;
  LargeArray<Real> values_;
};

}  // namespace leadline::probe::fem2d::multigrid
