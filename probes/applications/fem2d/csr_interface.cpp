#include "applications/fem2d/csr_interface.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "comm/mpi_world.hpp"

namespace leadline::probe::fem2d::csr {
namespace {

using Sharers = std::vector<std::set<int>>;

// The processes that have each node, or each edge, of the coarse mesh.
Sharers sharers_of(const Mesh& coarse, std::size_t count, std::array<Index, 3> Triangle::* what,
                   int processes) {
  Sharers sharers(count);
  for (std::size_t t = 0; t < coarse.triangles.size(); ++t) {
    for (const Index number : coarse.triangles[t].*what) {
      sharers[static_cast<std::size_t>(number)].insert(owner(static_cast<Index>(t), processes));
    }
  }
  return sharers;
}

}  // namespace

Levels::Levels(const Mesh& coarse, int refinements) {
  std::int64_t edges = static_cast<std::int64_t>(coarse.edges.size());
  std::int64_t triangles = static_cast<std::int64_t>(coarse.triangles.size());
  nodes.push_back(static_cast<Index>(coarse.nodes.size()));
  for (int level = 0; level < refinements; ++level) {
    nodes.push_back(nodes.back() + static_cast<Index>(edges));
    edges = 2 * edges + 3 * triangles;
    triangles *= 4;
  }
  offsets.resize(nodes.size());
  for (std::size_t level = nodes.size() - 1; level > 0; --level) {
    offsets[level - 1] = offsets[level] + nodes[level];
  }
}

Interface::Interface(const Mesh& coarse, const Part& part, const Levels& levels,
                     MPI_Comm communicator, CommunicationTime& time)
    : communicator_(communicator), time_(time) {
  int processes = 0;
  MPI_REQUIRE(MPI_Comm_rank(communicator, &rank_));
  MPI_REQUIRE(MPI_Comm_size(communicator, &processes));
  const Sharers of_nodes = sharers_of(coarse, coarse.nodes.size(), &Triangle::vertices, processes);
  const Sharers of_edges = sharers_of(coarse, coarse.edges.size(), &Triangle::edges, processes);
  std::map<int, std::vector<std::size_t>> with;
  const auto share = [&](const std::set<int>& sharers, std::int64_t position) {
    for (const int process : sharers) {
      if (process != rank_) with[process].push_back(shared_.size());
    }
    shared_.push_back({position, rank_ == *sharers.begin(), 0.0, 0.0});
  };
  // Nodes and edges are in the order of their numbers in the whole mesh, on every process.
  for (int level = levels.finest(); level >= 0; --level) {
    const std::int64_t offset = levels.offsets[static_cast<std::size_t>(level)];
    for (std::size_t i = 0; i < part.nodes.size(); ++i) {
      const auto& sharers = of_nodes[static_cast<std::size_t>(part.nodes[i])];
      if (sharers.size() > 1) share(sharers, offset + static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < part.edges.size(); ++i) {
      const auto& sharers = of_edges[static_cast<std::size_t>(part.edges[i])];
      if (sharers.size() == 1) continue;
      for (int born = 1; born <= level; ++born) {
        const std::int64_t count = std::int64_t{1} << (born - 1);
        const std::int64_t first =
            levels.nodes[static_cast<std::size_t>(born - 1)] + static_cast<std::int64_t>(i) * count;
        for (std::int64_t k = 0; k < count; ++k) share(sharers, offset + first + k);
      }
    }
    if (level == levels.finest()) finest_ = shared_.size();
  }
  for (auto& [process, positions] : with) {
    const std::size_t count = positions.size();
    neighbours_.push_back(
        {process, std::move(positions), std::vector<double>(count), std::vector<double>(count)});
  }
  requests_.resize(2 * neighbours_.size());
}

void Interface::accumulate(std::span<double> values) {
  for (Shared& each : shared_) {
    each.own = values[static_cast<std::size_t>(each.position)];
    each.sum = 0.0;
  }
  for (Neighbour& neighbour : neighbours_) {
    for (std::size_t i = 0; i < neighbour.shared.size(); ++i) {
      neighbour.out[i] = shared_[neighbour.shared[i]].own;
    }
  }
  exchange();
  // All sharers add up in the order of ranks: to the last bit, their sums are equal.
  bool own_added = false;
  const auto add_own = [&] {
    for (Shared& each : shared_) each.sum += each.own;
    own_added = true;
  };
  for (const Neighbour& neighbour : neighbours_) {
    if (neighbour.process > rank_ && !own_added) add_own();
    for (std::size_t i = 0; i < neighbour.shared.size(); ++i) {
      shared_[neighbour.shared[i]].sum += neighbour.in[i];
    }
  }
  if (!own_added) add_own();
  for (const Shared& each : shared_) values[static_cast<std::size_t>(each.position)] = each.sum;
}

void Interface::exchange() {
  constexpr int kTag = 0;
  time_.of([&] {
    MPI_Request* request = requests_.data();
    for (Neighbour& neighbour : neighbours_) {
      MPI_REQUIRE(MPI_Irecv(neighbour.in.data(), static_cast<int>(neighbour.in.size()), MPI_DOUBLE,
                            neighbour.process, kTag, communicator_, request++));
    }
    for (const Neighbour& neighbour : neighbours_) {
      MPI_REQUIRE(MPI_Isend(neighbour.out.data(), static_cast<int>(neighbour.out.size()),
                            MPI_DOUBLE, neighbour.process, kTag, communicator_, request++));
    }
    MPI_REQUIRE(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  });
}

}  // namespace leadline::probe::fem2d::csr
