#include "applications/fem2d/multigrid_parts.hpp"

#include <array>

#include "comm/mpi_world.hpp"

namespace leadline::probe::fem2d::multigrid {

namespace {

constexpr std::int64_t kCoarsest = 2;

Range range_of(std::int64_t begin, std::int64_t end, std::int64_t intervals, bool replicated,
               bool dirichlet) {
  const std::int64_t first = replicated || begin == 0 ? 0 : begin - kHalo;
  const std::int64_t last = replicated || end == intervals + 1 ? intervals : end + kHalo;
  return {.first = first,
          .intervals = last - first,
          .mirrored = last == intervals && !dirichlet,
          .own_begin = begin - first,
          .own_end = end - first};
}

}  // namespace

std::vector<Part> parts(const Case& problem, ProcessGrid grid, int rank) {
  const DirichletSides given = dirichlet_sides(problem.problem);
  std::vector<Part> all;
  const auto add = [&](std::int64_t n, const Rectangle& own, bool replicated) {
    Part& part = all.emplace_back();
    part.lattice_intervals = n;
    part.replicated = replicated;
    if (own.empty() && !replicated) return;
    part.columns = range_of(own.i_begin, own.i_end, n, replicated, given.east);
    part.rows = range_of(own.j_begin, own.j_end, n, replicated, given.north);
  };
  const std::vector<Lattice> fine = lattices(problem, grid, rank);
  for (std::int64_t n = kCoarsest; n < fine.front().intervals; n *= 2) add(n, {}, true);
  for (const Lattice& lattice : fine) add(lattice.intervals, lattice.own, lattice.replicated);
  return all;
}

Neighbours::Neighbours(ProcessGrid grid, MPI_Comm communicator, CommunicationTime& time)
    : communicator_(communicator), time_(time) {
  int rank = 0;
  MPI_REQUIRE(MPI_Comm_rank(communicator, &rank));
  MPI_REQUIRE(MPI_Comm_size(communicator, &processes_));
  const int column = rank % grid.columns;
  const int row = rank / grid.columns;
  if (row >= grid.rows) return;
  if (column > 0) west_ = rank - 1;
  if (column + 1 < grid.columns) east_ = rank + 1;
  if (row > 0) south_ = rank - grid.columns;
  if (row + 1 < grid.rows) north_ = rank + grid.columns;
}

template <typename Real>
void Neighbours::fetch(const Part& part, Field<Real>& field) {
  if (processes_ == 1) return;
  if (part.replicated) {
    share(part, field);
  } else if (!part.empty()) {
    fetch_halo(part, field);
  }
}

double Neighbours::sum(double value) {
  std::vector<double> values{value};
  sum(values);
  return values.front();
}

void Neighbours::sum(std::vector<double>& values) {
  if (processes_ == 1) return;
  time_.of([&] {
    MPI_REQUIRE(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                              MPI_DOUBLE, MPI_SUM, communicator_));
  });
}

// First the columns of own rows, then whole rows: so the corners come with them.
template <typename Real>
void Neighbours::fetch_halo(const Part& part, Field<Real>& field) {
  const Range& columns = part.columns;
  const Range& rows = part.rows;
  if (west_ != kNobody || east_ != kNobody) {
    const auto values = static_cast<std::size_t>(kHalo * (rows.own_end - rows.own_begin));
    std::array<std::vector<Real>, 4> buffers;
    for (auto& buffer : buffers) buffer.resize(values);
    auto& [to_west, to_east, from_west, from_east] = buffers;
    const auto copy = [&](std::int64_t column, auto&& one) {
      std::size_t k = 0;
      for (std::int64_t j = rows.own_begin; j < rows.own_end; ++j) {
        for (std::int64_t i = column; i < column + kHalo; ++i) one(k++, field.at(i, j));
      }
    };
    copy(columns.own_begin, [&](std::size_t k, Real& value) { to_west[k] = value; });
    copy(columns.own_end - kHalo, [&](std::size_t k, Real& value) { to_east[k] = value; });
    swap({west_, to_west.data(), from_west.data()}, {east_, to_east.data(), from_east.data()},
         values * sizeof(Real));
    if (west_ != kNobody) {
      copy(columns.own_begin - kHalo, [&](std::size_t k, Real& value) { value = from_west[k]; });
    }
    if (east_ != kNobody) {
      copy(columns.own_end, [&](std::size_t k, Real& value) { value = from_east[k]; });
    }
  }
  swap({south_, field.even(rows.own_begin), field.even(rows.own_begin - kHalo)},
       {north_, field.even(rows.own_end - kHalo), field.even(rows.own_end)},
       static_cast<std::size_t>(kHalo * field.stride()) * sizeof(Real));
}

void Neighbours::swap(const Side& low, const Side& high, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  time_.of([&] {
    std::array<MPI_Request, 4> requests;
    int begun = 0;
    for (const Side& side : {low, high}) {
      if (side.rank == kNobody) continue;
      MPI_REQUIRE(MPI_Irecv(side.received, count, MPI_BYTE, side.rank, 0, communicator_,
                            &requests[begun++]));
      MPI_REQUIRE(
          MPI_Isend(side.sent, count, MPI_BYTE, side.rank, 0, communicator_, &requests[begun++]));
    }
    MPI_REQUIRE(MPI_Waitall(begun, requests.data(), MPI_STATUSES_IGNORE));
  });
}

template <typename Real>
void Neighbours::share(const Part& part, Field<Real>& field) {
  const std::int64_t n = part.lattice_intervals + 1;
  std::vector<double> nodes(static_cast<std::size_t>(n * n));
  const auto each = [&](const Range& columns, const Range& rows, auto&& one) {
    for (std::int64_t j = rows.own_begin; j < rows.own_end; ++j) {
      for (std::int64_t i = columns.own_begin; i < columns.own_end; ++i) {
        one(nodes[static_cast<std::size_t>(j * n + i)], field.at(i, j));
      }
    }
  };
  each(part.columns, part.rows, [](double& node, Real& value) { node = value; });
  sum(nodes);
  const Range all{.own_begin = 0, .own_end = n};
  each(all, all, [](double& node, Real& value) { value = static_cast<Real>(node); });
}

template void Neighbours::fetch(const Part&, Field<double>&);
template void Neighbours::fetch(const Part&, Field<float>&);

}  // namespace leadline::probe::fem2d::multigrid
