#include "applications/fem2d/csr_mesh.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace leadline::probe::fem2d::csr {
namespace {

constexpr Index kSquares = 8;  // in each direction

// The even bits of a number, moved together.
Index even_bits(Index number) {
  Index bits = 0;
  for (int bit = 0; bit < 3; ++bit) bits |= ((number >> (2 * bit)) & 1) << bit;
  return bits;
}

Index node_at(Index column, Index row) { return row * (kSquares + 1) + column; }

Index position(const std::vector<Index>& ascending, Index number) {
  return static_cast<Index>(std::ranges::lower_bound(ascending, number) - ascending.begin());
}

void sort_unique(std::vector<Index>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

void Mesh::add_midpoints() {
  nodes.reserve(nodes.size() + edges.size());
  for (const auto& [a, b] : edges) {
    const Coordinates first = nodes[static_cast<std::size_t>(a)];
    const Coordinates second = nodes[static_cast<std::size_t>(b)];
    nodes.push_back({0.5 * (first.x + second.x), 0.5 * (first.y + second.y)});
  }
}

std::vector<Edge> Mesh::split() {
  const auto middle = static_cast<Index>(nodes.size() - edges.size());
  const auto inner = static_cast<Index>(2 * edges.size());
  std::vector<Edge> new_edges;
  new_edges.reserve(2 * edges.size() + 3 * triangles.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Index node = middle + static_cast<Index>(e);
    new_edges.push_back({edges[e][0], node});
    new_edges.push_back({node, edges[e][1]});
  }
  // The half of an edge that ends in this vertex.
  const auto half = [this](Index edge, Index vertex) {
    return 2 * edge + (edges[static_cast<std::size_t>(edge)][1] == vertex ? 1 : 0);
  };
  std::vector<Triangle> children;
  children.reserve(4 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [v, e] = triangles[t];
    const std::array m{middle + e[0], middle + e[1], middle + e[2]};
    const Index i = inner + 3 * static_cast<Index>(t);
    new_edges.push_back({m[1], m[2]});
    new_edges.push_back({m[2], m[0]});
    new_edges.push_back({m[0], m[1]});
    children.push_back({{v[0], m[2], m[1]}, {i, half(e[1], v[0]), half(e[2], v[0])}});
    children.push_back({{m[2], v[1], m[0]}, {half(e[0], v[1]), i + 1, half(e[2], v[1])}});
    children.push_back({{m[1], m[0], v[2]}, {half(e[0], v[2]), half(e[1], v[2]), i + 2}});
    children.push_back({m, {i, i + 1, i + 2}});
  }
  triangles = std::move(children);
  return std::exchange(edges, std::move(new_edges));
}

Mesh coarse_mesh() {
  Mesh mesh;
  for (Index row = 0; row <= kSquares; ++row) {
    for (Index column = 0; column <= kSquares; ++column) {
      mesh.nodes.push_back(
          {static_cast<double>(column) / kSquares, static_cast<double>(row) / kSquares});
    }
  }
  std::map<Edge, Index> numbers;
  const auto edge_between = [&](Index a, Index b) {
    const Edge edge{std::min(a, b), std::max(a, b)};
    const auto [found, is_new] = numbers.emplace(edge, static_cast<Index>(mesh.edges.size()));
    if (is_new) mesh.edges.push_back(edge);
    return found->second;
  };
  const auto add = [&](Index a, Index b, Index c) {
    mesh.triangles.push_back(
        {{a, b, c}, {edge_between(b, c), edge_between(c, a), edge_between(a, b)}});
  };
  for (Index square = 0; square < kSquares * kSquares; ++square) {
    const Index column = even_bits(square);
    const Index row = even_bits(square >> 1);
    const Index south_west = node_at(column, row);
    const Index north_east = node_at(column + 1, row + 1);
    add(south_west, node_at(column + 1, row), north_east);
    add(south_west, north_east, node_at(column, row + 1));
  }
  return mesh;
}

int owner(Index triangle, int processes) {
  return triangle * processes / (2 * kSquares * kSquares);
}

Part part_of(const Mesh& coarse, int process, int processes) {
  Part part;
  for (std::size_t t = 0; t < coarse.triangles.size(); ++t) {
    if (owner(static_cast<Index>(t), processes) != process) continue;
    const Triangle& triangle = coarse.triangles[t];
    part.mesh.triangles.push_back(triangle);
    part.nodes.insert(part.nodes.end(), triangle.vertices.begin(), triangle.vertices.end());
    part.edges.insert(part.edges.end(), triangle.edges.begin(), triangle.edges.end());
  }
  sort_unique(part.nodes);
  sort_unique(part.edges);
  for (const Index node : part.nodes) {
    part.mesh.nodes.push_back(coarse.nodes[static_cast<std::size_t>(node)]);
  }
  for (const Index edge : part.edges) {
    const auto& [a, b] = coarse.edges[static_cast<std::size_t>(edge)];
    part.mesh.edges.push_back({position(part.nodes, a), position(part.nodes, b)});
  }
  for (auto& [vertices, edges] : part.mesh.triangles) {
    for (Index& vertex : vertices) vertex = position(part.nodes, vertex);
    for (Index& edge : edges) edge = position(part.edges, edge);
  }
  return part;
}

}  // namespace leadline::probe::fem2d::csr
