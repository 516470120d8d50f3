#include "applications/fem2d/lattice.hpp"

#include <sys/mman.h>

#include <tuple>

#include "comm/mpi_world.hpp"

namespace leadline::probe::fem2d {

namespace {

constexpr std::int64_t kCoarseIntervals = 8;
constexpr std::int64_t kCuts = 64;  // lines of the lattice along which parts are cut

template <typename Real>
MPI_Datatype type_of();
template <>
MPI_Datatype type_of<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype type_of<float>() {
  return MPI_FLOAT;
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Where part `index` of `count` begins, in lines of the lattice of `kCuts` intervals.
std::int64_t cut(int index, int count) { return index * kCuts / count; }

// The same on a lattice of so many intervals.
std::int64_t begin_of(int index, int count, std::int64_t intervals) {
  return index == count ? intervals + 1 : divided_up(cut(index, count) * intervals, kCuts);
}

// Nodes of the range that lie within `layers` of its end towards `direction`: -1, 0 (all) or 1;
// or those that follow beyond it.
void take_layers(std::int64_t& begin, std::int64_t& end, int direction, std::int64_t layers,
                 bool beyond) {
  const std::int64_t inwards = beyond ? 0 : layers;
  const std::int64_t outwards = beyond ? layers : 0;
  if (direction < 0) {
    end = begin + inwards;
    begin -= outwards;
  } else if (direction > 0) {
    begin = end - inwards;
    end += outwards;
  }
}

Rectangle layers_of(Rectangle nodes, int column, int row, std::int64_t layers, bool beyond) {
  take_layers(nodes.i_begin, nodes.i_end, column, layers, beyond);
  take_layers(nodes.j_begin, nodes.j_end, row, layers, beyond);
  return nodes;
}

template <typename Function>
void for_each(const Rectangle& nodes, Function&& function) {
  for (std::int64_t j = nodes.j_begin; j < nodes.j_end; ++j) {
    for (std::int64_t i = nodes.i_begin; i < nodes.i_end; ++i) function(i, j);
  }
}

}  // namespace

ProcessGrid process_grid(int processes) {
  const auto cost = [](ProcessGrid grid) {
    const std::int64_t width = divided_up(kCuts, grid.columns);
    const std::int64_t height = divided_up(kCuts, grid.rows);
    return std::tuple(width * height, width + height);
  };
  ProcessGrid best;
  for (int columns = 1; columns <= processes && columns <= kCuts; ++columns) {
    const int rows = std::min<int>(processes / columns, kCuts);
    if (cost({columns, rows}) < cost(best)) best = {columns, rows};
  }
  return best;
}

DirichletSides dirichlet_sides(Problem problem) {
  const bool all = problem == Problem::kB;
  return {.west = true, .east = all, .south = true, .north = all};
}

int replicated_level(const Case& problem) {
  int level = 0;
  while (level < problem.level && kCoarseIntervals << (level + 1) <= kCuts) ++level;
  return level;
}

std::vector<Lattice> lattices(const Case& problem, ProcessGrid grid, int rank) {
  const DirichletSides given = dirichlet_sides(problem.problem);
  const int row = rank / grid.columns;
  const int column = rank % grid.columns;
  std::vector<Lattice> all;
  for (int level = 0; level <= problem.level + 1; ++level) {
    Lattice& lattice = all.emplace_back();
    const std::int64_t n = lattice.intervals = kCoarseIntervals << level;
    lattice.replicated = level <= replicated_level(problem);
    if (row < grid.rows) {
      lattice.own = {begin_of(column, grid.columns, n), begin_of(column + 1, grid.columns, n),
                     begin_of(row, grid.rows, n), begin_of(row + 1, grid.rows, n)};
    }
    lattice.held = lattice.replicated ? Rectangle{0, n + 1, 0, n + 1} : lattice.own;
    if (lattice.held.empty()) continue;
    lattice.unknowns = {std::max<std::int64_t>(lattice.held.i_begin, given.west),
                        std::min<std::int64_t>(lattice.held.i_end, n + 1 - given.east),
                        std::max<std::int64_t>(lattice.held.j_begin, given.south),
                        std::min<std::int64_t>(lattice.held.j_end, n + 1 - given.north)};
  }
  return all;
}

Rectangle Lattice::mine() const {
  return {std::max(own.i_begin, unknowns.i_begin), std::min(own.i_end, unknowns.i_end),
          std::max(own.j_begin, unknowns.j_begin), std::min(own.j_end, unknowns.j_end)};
}

void prefer_large_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
  // Refused, it changes nothing but speed.
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

Exchange::Exchange(ProcessGrid grid, MPI_Comm communicator, CommunicationTime& time)
    : communicator_(communicator), time_(time) {
  int rank = 0;
  MPI_REQUIRE(MPI_Comm_rank(communicator, &rank));
  MPI_REQUIRE(MPI_Comm_size(communicator, &processes_));
  if (rank / grid.columns >= grid.rows) return;
  for (const int row : {-1, 0, 1}) {
    for (const int column : {-1, 0, 1}) {
      const int there_row = rank / grid.columns + row;
      const int there_column = rank % grid.columns + column;
      if ((row == 0 && column == 0) || there_row < 0 || there_row >= grid.rows ||
          there_column < 0 || there_column >= grid.columns) {
        continue;
      }
      neighbours_.push_back({there_row * grid.columns + there_column, column, row});
    }
  }
}

template <typename AnyField>
void Exchange::halo(const Lattice& lattice, AnyField& field, std::int64_t layers) {
  using Real = typename AnyField::Value;
  if (neighbours_.empty()) return;
  struct Message {
    Rectangle nodes;
    Real* values;
    int count() const { return static_cast<int>(nodes.width() * nodes.height()); }
  };
  std::vector<Message> sent;
  std::vector<Message> received;
  std::size_t values = 0;
  for (const Neighbour& there : neighbours_) {
    for (auto* messages : {&sent, &received}) {
      const bool beyond = messages == &received;
      messages->push_back({layers_of(lattice.own, there.column, there.row, layers, beyond), {}});
      values += static_cast<std::size_t>(messages->back().count());
    }
  }
  buffer_.resize(values);
  Real* end = reinterpret_cast<Real*>(buffer_.data());
  for (Message& message : sent) {
    message.values = end;
    for_each(message.nodes, [&](auto i, auto j) { *end++ = *field.at(i, j); });
  }
  for (Message& message : received) {
    message.values = end;
    end += message.count();
  }
  time_.of([&] {
    std::vector<MPI_Request> requests;
    for (std::size_t k = 0; k < neighbours_.size(); ++k) {
      MPI_REQUIRE(MPI_Irecv(received[k].values, received[k].count(), type_of<Real>(),
                            neighbours_[k].rank, 0, communicator_, &requests.emplace_back()));
    }
    for (std::size_t k = 0; k < neighbours_.size(); ++k) {
      MPI_REQUIRE(MPI_Isend(sent[k].values, sent[k].count(), type_of<Real>(), neighbours_[k].rank,
                            0, communicator_, &requests.emplace_back()));
    }
    MPI_REQUIRE(
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  });
  for (const Message& message : received) {
    const Real* value = message.values;
    for_each(message.nodes, [&](auto i, auto j) { *field.at(i, j) = *value++; });
  }
}

void Exchange::sum(std::span<double> values) {
  if (processes_ == 1) return;
  time_.of([&] {
    MPI_REQUIRE(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                              MPI_DOUBLE, MPI_SUM, communicator_));
  });
}

template <typename Real>
void Exchange::share(const Lattice& lattice, Field<Real>& field, std::span<double> more) {
  if (processes_ == 1) return;
  const std::int64_t n = lattice.intervals + 1;
  const auto nodes = static_cast<std::size_t>(n * n);
  buffer_.assign(nodes + more.size(), 0.0);
  for (std::int64_t j = lattice.own.j_begin; j < lattice.own.j_end; ++j) {
    std::copy_n(field.at(lattice.own.i_begin, j), lattice.own.width(),
                buffer_.data() + j * n + lattice.own.i_begin);
  }
  std::copy(more.begin(), more.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(nodes));
  sum(buffer_);
  for (std::int64_t j = 0; j < n; ++j) {
    std::copy_n(buffer_.data() + j * n, n, field.at(0, j));
  }
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(nodes), more.size(), more.begin());
}

template void Exchange::halo(const Lattice&, Field<double>&, std::int64_t);
template void Exchange::halo(const Lattice&, Field<float>&, std::int64_t);
template void Exchange::halo(const Lattice&, SplitField<double>&, std::int64_t);
template void Exchange::halo(const Lattice&, SplitField<float>&, std::int64_t);
template void Exchange::share(const Lattice&, Field<double>&, std::span<double>);
template void Exchange::share(const Lattice&, Field<float>&, std::span<double>);

}  // namespace leadline::probe::fem2d
