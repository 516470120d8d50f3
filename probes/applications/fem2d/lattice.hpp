// The nested lattices N_l = 8 * 2^l of the FEM-2D reference problem, l = 0 .. level + 1, over up to
// 128 processes: who holds which nodes, and what they tell each other.
//
// The finest lattice is cut into rectangles, and each coarser node belongs to whom the finer node
// at its place belongs to. Lattices of up to 64 intervals are held whole by every process: one
// reduction costs less there than an exchange on each. Cuts run along their lines, so that parts
// of all other lattices begin at even nodes, and 2, 4, ... 64 processes hold whole coarse squares.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "applications/communication_time.hpp"
#include "applications/fem2d/method.hpp"

namespace leadline::probe::fem2d {

// Nodes (i, j), i_begin <= i < i_end and j_begin <= j < j_end.
struct Rectangle {
  std::int64_t i_begin = 0;
  std::int64_t i_end = 0;
  std::int64_t j_begin = 0;
  std::int64_t j_end = 0;

  std::int64_t width() const { return i_end - i_begin; }
  std::int64_t height() const { return j_end - j_begin; }
  bool empty() const { return width() <= 0 || height() <= 0; }
  bool contains(Node node) const {
    return i_begin <= node.i && node.i < i_end && j_begin <= node.j && node.j < j_end;
  }
  bool operator==(const Rectangle&) const = default;
};

// Rank r has column r % columns and row r / columns; the ranks that are left over hold nothing.
struct ProcessGrid {
  int columns = 1;
  int rows = 1;
};

// The grid whose busiest process has the fewest nodes, and then the shortest halo.
ProcessGrid process_grid(int processes);

// A side of the square on which u is given, whose nodes are no unknowns.
struct DirichletSides {
  bool west;
  bool east;
  bool south;
  bool north;
};
DirichletSides dirichlet_sides(Problem problem);

// One lattice as one process sees it.
struct Lattice {
  std::int64_t intervals = 0;
  Rectangle own;       // its nodes; every node is some process's own
  Rectangle held;      // own, or all nodes where every process holds them
  Rectangle unknowns;  // those of `held` where u is not given
  bool replicated = false;

  // Its own unknowns.
  Rectangle mine() const;
  // Whether it holds nodes of that side, and u is not given there.
  bool free_east() const { return unknowns.i_end > intervals; }
  bool free_north() const { return unknowns.j_end > intervals; }
  // What the triangles around an unknown on this line, or this row, are over those inside.
  double weight(std::int64_t line) const { return line == intervals ? 0.5 : 1.0; }
};

// The highest lattice that every process holds whole.
int replicated_level(const Case& problem);
// Lattices 0 .. level + 1 as this rank of the grid sees them.
std::vector<Lattice> lattices(const Case& problem, ProcessGrid grid, int rank);

// Asks the system for large pages where it leaves that to programs: sweeps over many rows at once
// are slowed by small ones. For memory that was not touched yet.
void prefer_large_pages(void* memory, std::size_t bytes);

// Values on what a process holds of a lattice, and on two layers of nodes around. Rows lie one
// after the other; the first node of `held` in each has the alignment of a cache line. All values
// are zero at first, and those outside the square remain so unless somebody writes them.
template <typename Real>
class Field {
 public:
  using Value = Real;
  static constexpr std::int64_t kHalo = 2;

  explicit Field(const Lattice& lattice)
      : held_(lattice.held),
        stride_(rounded_up(kMargin + std::max<std::int64_t>(held_.width(), 0) + kHalo)),
        size_(static_cast<std::size_t>(stride_ *
                                       (std::max<std::int64_t>(held_.height(), 0) + 2 * kHalo))),
        values_(static_cast<Real*>(
            ::operator new[](size_ * sizeof(Real), std::align_val_t{kAlignment}))) {
    prefer_large_pages(values_.get(), size_ * sizeof(Real));
    clear();
  }

  // The others of its row follow; the same column of the next row is `stride()` further.
  Real* at(std::int64_t i, std::int64_t j) {
    return values_.get() + (j - held_.j_begin + kHalo) * stride_ + (i - held_.i_begin + kMargin);
  }
  const Real* at(std::int64_t i, std::int64_t j) const {
    return const_cast<Field*>(this)->at(i, j);
  }
  std::int64_t stride() const { return stride_; }
  void clear() { std::fill_n(values_.get(), size_, Real{0}); }
  // The values of another on the same lattice, in this one's precision.
  template <typename Other>
  void take(const Field<Other>& other) {
    const std::int64_t width = std::max<std::int64_t>(held_.width(), 0) + 2 * kHalo;
    const std::int64_t j_end = std::max(held_.j_begin, held_.j_end) + kHalo;
    for (std::int64_t j = held_.j_begin - kHalo; j < j_end; ++j) {
      std::copy_n(other.at(held_.i_begin - kHalo, j), width, at(held_.i_begin - kHalo, j));
    }
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::int64_t kMargin = kAlignment / sizeof(Real);
  static std::int64_t rounded_up(std::int64_t count) {
    return (count + kMargin - 1) / kMargin * kMargin;
  }
  struct Free {
    void operator()(Real* values) const {
      ::operator delete[](values, std::align_val_t{kAlignment});
    }
  };

  Rectangle held_;
  std::int64_t stride_;
  std::size_t size_;
  std::unique_ptr<Real[], Free> values_;
};

// The same where each row is two: first its even nodes, then its odd ones. Neighbours on this and
// the coarser lattice are then neighbours in memory, too. The first node of `held` must be even.
template <typename Real>
class SplitField {
 public:
  using Value = Real;

  explicit SplitField(const Lattice& lattice) : rows_(halved(lattice)) {}

  // The next node of its parity follows.
  Real* at(std::int64_t i, std::int64_t j) { return rows_.at(i >> 1, 2 * j + (i & 1)); }
  const Real* at(std::int64_t i, std::int64_t j) const { return rows_.at(i >> 1, 2 * j + (i & 1)); }
  std::int64_t stride() const { return 2 * rows_.stride(); }
  void clear() { rows_.clear(); }
  template <typename Other>
  void take(const SplitField<Other>& other) {
    rows_.take(other.rows_);
  }

 private:
  template <typename Other>
  friend class SplitField;

  static Lattice halved(Lattice lattice) {
    Rectangle& held = lattice.held;
    held = {held.i_begin / 2, (held.i_end + 1) / 2, 2 * held.j_begin - 2, 2 * held.j_end + 2};
    return lattice;
  }

  Field<Real> rows_;
};

// What the processes of one case tell each other. All functions are collective.
class Exchange {
 public:
  Exchange(ProcessGrid grid, MPI_Comm communicator, CommunicationTime& time);

  // Fetches `layers` (1 or 2) layers of the neighbours' nodes, corners included, of a lattice that
  // is not replicated.
  template <typename AnyField>
  void halo(const Lattice& lattice, AnyField& field, std::int64_t layers = 1);
  // Sums over all processes.
  void sum(std::span<double> values);
  // Of a replicated lattice: each process has written its own nodes, and knows all afterwards.
  // `more` is summed on the way.
  template <typename Real>
  void share(const Lattice& lattice, Field<Real>& field, std::span<double> more = {});

 private:
  struct Neighbour {
    int rank;
    int column;  // -1, 0 or 1: where it is
    int row;
  };

  MPI_Comm communicator_;
  CommunicationTime& time_;
  int processes_ = 1;
  std::vector<Neighbour> neighbours_;
  std::vector<double> buffer_;
};

}  // namespace leadline::probe::fem2d
