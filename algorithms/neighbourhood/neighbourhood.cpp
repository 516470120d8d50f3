#include "algorithms/neighbourhood/neighbourhood.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "algorithms/collectives/attached.hpp"

namespace leadline::coll {
namespace {

// What hangs on a communicator with a topology.
struct Entry {
  bool examined = false;
  std::unique_ptr<Neighbourhood> neighbourhood;

  void close() { neighbourhood.reset(); }
};
using Entries = Attached<Entry>;

struct Lent {
  MPI_Comm from = MPI_COMM_NULL;
  MPI_Comm to = MPI_COMM_NULL;
  unsigned gone = 0;
  Neighbourhood* neighbourhood = nullptr;
};
thread_local Lent lent_here;

int find_topology(MPI_Comm comm, int& topology) {
  int between_groups = 0;
  topology = MPI_UNDEFINED;
  RETURN_IF_FAILED(PMPI_Comm_test_inter(comm, &between_groups));
  return between_groups != 0 ? MPI_SUCCESS : PMPI_Topo_test(comm, &topology);
}

int this_rank(MPI_Comm comm) {
  int rank = MPI_PROC_NULL;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

// In each dimension first against its direction, then along it.
int find_on_grid(MPI_Comm comm, std::vector<int>& sources, std::vector<int>& destinations) {
  for (std::size_t i = 0; i < sources.size(); i += 2) {
    RETURN_IF_FAILED(
        PMPI_Cart_shift(comm, static_cast<int>(i / 2), 1, &sources[i], &sources[i + 1]));
  }
  destinations = sources;
  return MPI_SUCCESS;
}

int find_neighbours(MPI_Comm comm, std::vector<int>& sources, std::vector<int>& destinations) {
  int topology = MPI_UNDEFINED;
  Degrees degrees;
  RETURN_IF_FAILED(find_topology(comm, topology));
  RETURN_IF_FAILED(find_degrees(comm, degrees));
  sources.resize(static_cast<std::size_t>(degrees.incoming));
  destinations.resize(static_cast<std::size_t>(degrees.outgoing));
  if (topology == MPI_CART) return find_on_grid(comm, sources, destinations);
  if (topology == MPI_GRAPH) {
    RETURN_IF_FAILED(PMPI_Graph_neighbors(comm, this_rank(comm), degrees.incoming, sources.data()));
    destinations = sources;
    return MPI_SUCCESS;
  }
  std::vector<int> weights(std::max(sources.size(), destinations.size()));
  std::vector<int> others(weights);
  return PMPI_Dist_graph_neighbors(comm, degrees.incoming, sources.data(), weights.data(),
                                   degrees.outgoing, destinations.data(), others.data());
}

// Ranks that edges lead between, in whatever direction, are brought together.
class Groups {
 public:
  explicit Groups(std::size_t ranks) : parents_(ranks) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }
  void join(int one, int other) { parents_[index(first_of(one))] = first_of(other); }
  bool is_one() {
    const int first = first_of(0);
    for (std::size_t rank = 1; rank < parents_.size(); ++rank) {
      if (first_of(static_cast<int>(rank)) != first) return false;
    }
    return true;
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  int first_of(int rank) {
    while (parents_[index(rank)] != rank) {
      rank = parents_[index(rank)] = parents_[index(parents_[index(rank)])];
    }
    return rank;
  }

  std::vector<int> parents_;
};

}  // namespace

int find_degrees(MPI_Comm comm, Degrees& degrees) {
  int topology = MPI_UNDEFINED;
  degrees = {};
  RETURN_IF_FAILED(find_topology(comm, topology));
  if (topology == MPI_CART) {
    int dimensions = 0;
    RETURN_IF_FAILED(PMPI_Cartdim_get(comm, &dimensions));
    degrees = {.incoming = 2 * dimensions, .outgoing = 2 * dimensions};
  } else if (topology == MPI_GRAPH) {
    int neighbours = 0;
    RETURN_IF_FAILED(PMPI_Graph_neighbors_count(comm, this_rank(comm), &neighbours));
    degrees = {.incoming = neighbours, .outgoing = neighbours};
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    RETURN_IF_FAILED(
        PMPI_Dist_graph_neighbors_count(comm, &degrees.incoming, &degrees.outgoing, &weighted));
  }
  return MPI_SUCCESS;
}

int Neighbourhood::of(MPI_Comm comm, Neighbourhood*& found) {
  Entry* entry = nullptr;
  found = nullptr;
  // Lent for the call that is carried out, whatever other threads free meanwhile.
  if (lent_here.to == comm && comm != MPI_COMM_NULL) {
    found = lent_here.neighbourhood;
    return MPI_SUCCESS;
  }
  RETURN_IF_FAILED(Entries::of(comm, entry));
  if (!entry->examined) {
    int topology = MPI_UNDEFINED;
    RETURN_IF_FAILED(find_topology(comm, topology));
    if (topology != MPI_UNDEFINED) {
      entry->neighbourhood = std::make_unique<Neighbourhood>();
      RETURN_IF_FAILED(entry->neighbourhood->describe(comm));
      if (!entry->neighbourhood->understood_) entry->neighbourhood.reset();
    }
    entry->examined = true;
  }
  found = entry->neighbourhood.get();
  return MPI_SUCCESS;
}

int Neighbourhood::lend(MPI_Comm from, MPI_Comm to, const Neighbourhood*& lent) {
  if (lent_here.from != from || lent_here.to != to || lent_here.gone != Entries::gone()) {
    lent_here = {};
    Neighbourhood* found = nullptr;
    RETURN_IF_FAILED(of(from, found));
    lent_here = {.from = from, .to = to, .gone = Entries::gone(), .neighbourhood = found};
  }
  lent = lent_here.neighbourhood;
  return MPI_SUCCESS;
}

int Neighbourhood::describe(MPI_Comm comm) {
  std::vector<int> sources;
  bool matched = false;
  RETURN_IF_FAILED(find_neighbours(comm, sources, destinations_));
  RETURN_IF_FAILED(match(comm, sources, matched));
  const auto is_rank = [](int rank) { return rank != MPI_PROC_NULL; };
  receives_ = std::any_of(sources.begin(), sources.end(), is_rank);
  sends_ = std::any_of(destinations_.begin(), destinations_.end(), is_rank);
  RETURN_IF_FAILED(look_around(comm, matched));
  understood_ = matched;
  return MPI_SUCCESS;
}

// Each rank sends along each edge who it is and which of its edges that is.
int Neighbourhood::match(MPI_Comm comm, const std::vector<int>& sources, bool& matched) {
  struct Said {
    int rank;
    int edge;
  };
  // Libraries may want an address where there is nothing to send.
  std::vector<Said> out(destinations_.size() + 1);
  std::vector<Said> in(sources.size() + 1, {.rank = MPI_PROC_NULL, .edge = 0});
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = {.rank = this_rank(comm), .edge = static_cast<int>(i)};
  }
  RETURN_IF_FAILED(PMPI_Neighbor_alltoall(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, comm));
  matched = true;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    matched = matched && in[i].rank == sources[i];
    incoming_.push_back({.source = in[i].rank, .edge = in[i].edge});
  }
  return MPI_SUCCESS;
}

// What all ranks must know of all; and whether `all_matched`, which was said of this rank's edges.
int Neighbourhood::look_around(MPI_Comm comm, bool& all_matched) {
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  const auto ranks = static_cast<std::size_t>(size);
  const int mine = all_matched ? static_cast<int>(destinations_.size()) : -1;
  std::vector<int> counts(ranks);
  std::vector<int> offsets(ranks);
  RETURN_IF_FAILED(PMPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm));
  all_matched = *std::min_element(counts.begin(), counts.end()) >= 0;
  if (!all_matched) return MPI_SUCCESS;
  most_outgoing_ = *std::max_element(counts.begin(), counts.end());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::vector<int> all(static_cast<std::size_t>(offsets.back()) +
                       static_cast<std::size_t>(counts.back()) + 1);
  RETURN_IF_FAILED(PMPI_Allgatherv(destinations_.data(), mine, MPI_INT, all.data(), counts.data(),
                                   offsets.data(), MPI_INT, comm));
  Groups groups(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (int edge = 0; edge < counts[rank]; ++edge) {
      const int destination =
          all[static_cast<std::size_t>(offsets[rank]) + static_cast<std::size_t>(edge)];
      if (destination != MPI_PROC_NULL) groups.join(static_cast<int>(rank), destination);
    }
  }
  connected_ = groups.is_one();
  return MPI_SUCCESS;
}

}  // namespace leadline::coll
