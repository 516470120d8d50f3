// The mesh of one process: its share of the 128 coarse triangles, refined with a list of the two
// fathers of every new node (H. Yserentant: On the multi-level splitting of finite element spaces,
// Numer. Math. 49, 1986).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace leadline::probe::fem2d::csr {

using Index = std::int32_t;

struct Coordinates {
  double x;
  double y;
};

using Edge = std::array<Index, 2>;

// Vertices counterclockwise; the edge of a position lies opposite its vertex.
struct Triangle {
  std::array<Index, 3> vertices;
  std::array<Index, 3> edges;
};

// New nodes come after old ones, so that those of a level are the first ones; the node that comes
// of an edge has the edge's position among them. Edge e is split into 2e and 2e + 1, so that all
// that ever comes of a coarse edge is one block on each level, in the edge's own direction.
struct Mesh {
  std::vector<Coordinates> nodes;
  std::vector<Edge> edges;
  std::vector<Triangle> triangles;

  // One new node in the middle of each edge.
  void add_midpoints();
  // Each triangle into four similar ones, after add_midpoints(). Returns the edges that there were:
  // the fathers of the new nodes.
  std::vector<Edge> split();
};

// 8 x 8 squares cut from south-west to north-east, in the order of a Z curve, so that consecutive
// triangles lie together.
Mesh coarse_mesh();

// The process, of `processes`, that a coarse triangle belongs to: consecutive ones, as equal in
// number as can be.
int owner(Index triangle, int processes);

// What one process has of the coarse mesh, with the numbers that its nodes and edges have there, in
// ascending order.
struct Part {
  Mesh mesh;
  std::vector<Index> nodes;
  std::vector<Index> edges;
};

Part part_of(const Mesh& coarse, int process, int processes);

}  // namespace leadline::probe::fem2d::csr
