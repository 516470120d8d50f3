#include "applications/fem2d/csr_system.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "comm/mpi_world.hpp"

namespace leadline::probe::fem2d::csr {
namespace {

bool is_fixed(Problem problem, const Coordinates& at) {
  const bool south_or_west = at.x == 0.0 || at.y == 0.0;
  return south_or_west || (problem == Problem::kB && (at.x == 1.0 || at.y == 1.0));
}

std::vector<char> fixed_nodes(Problem problem, std::span<const Coordinates> nodes) {
  std::vector<char> fixed(nodes.size());
  std::ranges::transform(nodes, fixed.begin(), [&](const Coordinates& at) {
    return static_cast<char>(is_fixed(problem, at));
  });
  return fixed;
}

// Adds what linear functions on this mesh have on the diagonal.
void add_linear_diagonal(const Mesh& mesh, std::span<double> diagonal) {
  for (const Triangle& triangle : mesh.triangles) {
    const auto element = linear_element_matrix(vertices_of(mesh, triangle));
    for (std::size_t k = 0; k < 3; ++k) {
      diagonal[static_cast<std::size_t>(triangle.vertices[k])] += element[k][k];
    }
  }
}

// The integrals of each quadratic function, by the quadrature in the middles of the edges: in each
// of them one function is 1 and all others are 0.
std::vector<double> assemble_load(const Mesh& mesh, std::span<const char> fixed) {
  std::vector<double> load(mesh.nodes.size());
  const std::size_t middle = mesh.nodes.size() - mesh.edges.size();
  for (const Triangle& triangle : mesh.triangles) {
    const double third = area(vertices_of(mesh, triangle)) / 3.0;
    for (const Index edge : triangle.edges) {
      const std::size_t node = middle + static_cast<std::size_t>(edge);
      if (!fixed[node]) load[node] += third;
    }
  }
  return load;
}

// Of sums over the sharers, 0 for fixed nodes.
void invert(const Levels& levels, std::span<const char> fixed, std::span<double> diagonals) {
  for (std::size_t level = 0; level < levels.nodes.size(); ++level) {
    double* const diagonal = &diagonals[static_cast<std::size_t>(levels.offsets[level])];
    for (Index i = 0; i < levels.nodes[level]; ++i) {
      diagonal[i] = fixed[static_cast<std::size_t>(i)] ? 0.0 : 1.0 / diagonal[i];
    }
  }
}

}  // namespace

System::System(const Case& problem, MPI_Comm communicator, CommunicationTime& time) {
  int rank = 0;
  int processes = 0;
  MPI_REQUIRE(MPI_Comm_rank(communicator, &rank));
  MPI_REQUIRE(MPI_Comm_size(communicator, &processes));
  const Mesh coarse = coarse_mesh();
  Part part = part_of(coarse, rank, processes);
  Mesh& mesh = part.mesh;
  const Levels levels(mesh, problem.level + 1);
  Interface interface(coarse, part, levels, communicator, time);

  std::vector<double> diagonals(static_cast<std::size_t>(levels.size()));
  const auto on_level = [&](int level) {
    const auto index = static_cast<std::size_t>(level);
    return std::span(diagonals).subspan(static_cast<std::size_t>(levels.offsets[index]),
                                        static_cast<std::size_t>(levels.nodes[index]));
  };
  std::vector<std::vector<Edge>> fathers;
  for (int level = 0; level < problem.level; ++level) {
    add_linear_diagonal(mesh, on_level(level));
    mesh.add_midpoints();
    fathers.push_back(mesh.split());
  }
  add_linear_diagonal(mesh, on_level(problem.level));
  mesh.add_midpoints();
  fixed = fixed_nodes(problem.problem, mesh.nodes);
  matrix = Matrix(mesh, fixed);
  if (problem.problem == Problem::kB) load = assemble_load(mesh, fixed);
  mesh.triangles = {};
  fathers.push_back(std::move(mesh.edges));
  nodes = std::move(mesh.nodes);

  matrix.copy_diagonal(on_level(levels.finest()));
  interface.accumulate(diagonals);
  invert(levels, fixed, diagonals);
  std::optional<CoarseSolver> coarse_solver;
  if (problem.coarse_solver) {
    coarse_solver.emplace(coarse, fixed_nodes(problem.problem, coarse.nodes), std::move(part.nodes),
                          communicator, time);
  }
  preconditioner =
      std::make_unique<Preconditioner>(levels, std::move(fathers), std::move(diagonals),
                                       std::move(interface), std::move(coarse_solver));
}

double boundary_value(Problem problem, const Coordinates& at) {
  return problem == Problem::kA && at.y == 0.0 ? at.x : 0.0;
}

}  // namespace leadline::probe::fem2d::csr
