// The FEM-2D reference problem (M. Pester, "CHiC als CLiC-Nachfolger", Chemnitz, 2007): a square of
// 128 coarse triangles, refined `level` times, with quadratic triangles. One way to solve it is one
// file with one `const Method`.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "applications/communication_time.hpp"

namespace leadline::probe::fem2d {

// A: -div grad u = 0, u = 0 on x = 0, u = x on y = 0, du/dn = 0 on x = 1 and y = 1.
// B: -div grad u = 1, u = 0 on the whole boundary.
enum class Problem { kA, kB };

struct Case {
  int level = 5;
  Problem problem = Problem::kA;
  bool coarse_solver = false;  // an exact solve on the 81 nodes of the coarsest lattice
  // Until the norm is at most `tolerance` times that of the start: of the residual r, or
  // sqrt(r'z) with the preconditioned residual z.
  double tolerance = 1e-6;
  bool preconditioned_norm = false;

  // Intervals of the lattice in each direction: nodes are (i, j), 0 <= i, j <= intervals, at
  // (i, j) / intervals.
  std::int64_t intervals() const { return std::int64_t{16} << level; }
};

struct Node {
  std::int64_t i;
  std::int64_t j;
};

// One process's part of one case. All functions but `traffic_bytes` are collective.
class Solver {
 public:
  virtual ~Solver() = default;
  // Mesh and matrix, as far as the method has them; can be called again.
  virtual void assemble() = 0;
  // From the start vector (the boundary values, 0 elsewhere) until the tolerance; returns
  // iterations. Boundary values and right-hand side are `scale` times the problem's: a power of
  // two, which changes every number and no count.
  virtual int solve(double scale) = 0;
  // What the last solve ended with: the norm that it watches over that of the start.
  virtual double reduction() const = 0;
  // The solution at these nodes, on every process.
  virtual std::vector<double> values(std::span<const Node> nodes) = 0;
  // Bytes that the last solve had to move between this process and memory: each sweep's arrays
  // counted once as they are read and written, with write-allocate.
  virtual double traffic_bytes() const = 0;
};

class Method {
 public:
  struct Definition {
    std::string_view name;
    std::string_view summary;
    // What all processes together allocate, about, over the number of nodes. A case that needs more
    // than is free is not begun.
    double bytes_per_unknown;
    // PCG with multilevel diagonal scaling as the problem is defined: its iterations are known.
    bool defined_iterations;
    // Up to 128 processes; the communicator carries nothing else. Time in MPI is added to the last.
    // Throws Unavailable, on every process alike, for a case that the method does not solve.
    std::unique_ptr<Solver> (*make)(const Case&, MPI_Comm, CommunicationTime&);
  };

  explicit Method(const Definition& definition) : definition(definition) {
    if (!registry().emplace(definition.name, this).second) {
      throw std::logic_error("method " + std::string(definition.name) + " is registered twice");
    }
  }
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  static const std::map<std::string_view, const Method*>& all() { return registry(); }

  const Definition definition;

 private:
  static std::map<std::string_view, const Method*>& registry() {
    static std::map<std::string_view, const Method*> methods;
    return methods;
  }
};

}  // namespace leadline::probe::fem2d
