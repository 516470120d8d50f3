// The neighbourhood collectives: every registered algorithm delivers what the library's own does,
// on communicators with any topology.
#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "algorithms/neighbourhood/neighbor_allgather/neighbor_allgather.hpp"
#include "algorithms/neighbourhood/neighbor_allgatherv/neighbor_allgatherv.hpp"
#include "algorithms/neighbourhood/neighbor_alltoall/neighbor_alltoall.hpp"
#include "algorithms/neighbourhood/neighbor_alltoallv/neighbor_alltoallv.hpp"
#include "algorithms/neighbourhood/neighbourhood.hpp"
#include "communicator.hpp"

namespace {

using namespace leadline::coll;

// A communicator with a topology, for as long as it lives.
class Topology {
 public:
  // As square as possible.
  static Topology plane(const Communicator& all, bool periodic) {
    int extents[] = {0, 0};
    const int periods[] = {periodic ? 1 : 0, periodic ? 1 : 0};
    MPI_Dims_create(all.size, 2, extents);
    Topology made;
    MPI_Cart_create(all.handle, 2, extents, periods, 0, &made.handle_);
    return made;
  }
  // Edges between some of the ranks, of which several may be alike or begin where they end.
  static Topology graph(const Communicator& all, unsigned seed) {
    std::mt19937 random(seed);  // the same on all ranks
    std::vector<int> sources;
    std::vector<int> destinations;
    const unsigned ranks = static_cast<unsigned>(all.size + 1) / 2;
    for (int i = 0; i < 3 * all.size; ++i) {
      const int from = static_cast<int>(random() % ranks);
      const int to = random() % 4 == 0 ? from : static_cast<int>(random() % ranks);
      if (from == all.rank) destinations.push_back(to);
      if (to == all.rank) sources.push_back(from);
    }
    Topology made;
    MPI_Dist_graph_create_adjacent(all.handle, static_cast<int>(sources.size()), sources.data(),
                                   MPI_UNWEIGHTED, static_cast<int>(destinations.size()),
                                   destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &made.handle_);
    return made;
  }
  ~Topology() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }
  Topology(Topology&& other) noexcept : handle_(other.handle_) { other.handle_ = MPI_COMM_NULL; }
  Topology& operator=(Topology&&) = delete;

  MPI_Comm handle() const { return handle_; }
  Degrees degrees() const {
    Degrees found;
    find_degrees(handle_, found);
    return found;
  }

 private:
  Topology() = default;
  MPI_Comm handle_ = MPI_COMM_NULL;
};

using Numbers = std::vector<std::int32_t>;

Numbers numbers(int rank, int edges, int count) {
  Numbers all(static_cast<std::size_t>(edges) * static_cast<std::size_t>(count) + 1);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = rank * 1'000'003 + static_cast<int>(i);
  return all;
}

// Blocks from the last edge's to the first one's.
struct Places {
  Places(int edges, int count) {
    for (int i = 0; i < edges; ++i) {
      counts.push_back(count);
      offsets.push_back((edges - 1 - i) * count);
    }
    counts.push_back(0);
    offsets.push_back(0);
  }
  std::vector<int> counts;
  std::vector<int> offsets;
};

// `call(function, out)` with each algorithm, and with the library's.
template <typename Collective, typename Call>
void check(typename Collective::Function* library, std::size_t room, const Call& call) {
  Numbers expected(room, -1);
  REQUIRE(call(library, expected.data()) == MPI_SUCCESS);
  for (const auto& [name, algorithm] : Algorithm<Collective>::all()) {
    CAPTURE(name);
    Numbers result(room, -1);
    const int code = call(algorithm->function, result.data());
    if (code == kLeftToLibrary) continue;
    CHECK(code == MPI_SUCCESS);
    CHECK(result == expected);
  }
}

void check_all(const Topology& topology, int rank, int count) {
  const MPI_Comm comm = topology.handle();
  const auto [incoming, outgoing] = topology.degrees();
  const Numbers in = numbers(rank, outgoing + 1, count);
  const Places sent(outgoing, count);
  const Places received(incoming, count);
  const std::size_t room = numbers(0, incoming, count).size();
  CAPTURE(count);
  check<NeighborAllgather>(PMPI_Neighbor_allgather, room, [&](auto* function, auto* out) {
    return function(in.data(), count, MPI_INT32_T, out, count, MPI_INT32_T, comm);
  });
  check<NeighborAlltoall>(PMPI_Neighbor_alltoall, room, [&](auto* function, auto* out) {
    return function(in.data(), count, MPI_INT32_T, out, count, MPI_INT32_T, comm);
  });
  check<NeighborAllgatherv>(PMPI_Neighbor_allgatherv, room, [&](auto* function, auto* out) {
    return function(in.data(), count, MPI_INT32_T, out, received.counts.data(),
                    received.offsets.data(), MPI_INT32_T, comm);
  });
  check<NeighborAlltoallv>(PMPI_Neighbor_alltoallv, room, [&](auto* function, auto* out) {
    return function(in.data(), sent.counts.data(), sent.offsets.data(), MPI_INT32_T, out,
                    received.counts.data(), received.offsets.data(), MPI_INT32_T, comm);
  });
}

TEST_CASE("neighbours: planes and graphs of all kinds") {
  const Communicator all;
  for (const bool periodic : {true, false}) {
    const Topology plane = Topology::plane(all, periodic);
    for (const int count : {0, 1, 2, 12, 13, 700, 30'000}) check_all(plane, all.rank, count);
  }
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Topology graph = Topology::graph(all, seed);
    for (const int count : {0, 1, 700, 30'000}) check_all(graph, all.rank, count);
  }
}

TEST_CASE("neighbours: without a topology it is the library's to say") {
  const Communicator all;
  int in = 0;
  int out = 0;
  for (const auto& [name, algorithm] : Algorithm<NeighborAllgather>::all()) {
    CAPTURE(name);
    CHECK(algorithm->function(&in, 1, MPI_INT, &out, 1, MPI_INT, all.handle) == kLeftToLibrary);
  }
}

TEST_CASE("neighbours: shared takes what there is room for") {
  const Communicator all;
  if (all.size == 1) return;
  const Topology plane = Topology::plane(all, true);
  const auto* shared = Algorithm<NeighborAlltoall>::find("shared");
  for (const int count : {2, 30'000}) {
    const Numbers in = numbers(all.rank, 4, count);
    Numbers out = numbers(0, 4, count);
    const int less = shared->function(in.data(), count, MPI_INT32_T, out.data(), count / 2,
                                      MPI_INT32_T, plane.handle());
    if (less == kLeftToLibrary) continue;
    CHECK(less == MPI_ERR_TRUNCATE);
    check_all(plane, all.rank, count);
  }
}

}  // namespace
