// Whom each rank of a communicator with a topology sends to and receives from in the neighbourhood
// collectives (MPI 4.1, chapter 8).
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

// How many edges come to this rank and go from it: none where `comm` has no topology. Local.
// Returns an MPI error code, as all here.
struct Degrees {
  int incoming = 0;
  int outgoing = 0;
};
int find_degrees(MPI_Comm comm, Degrees& degrees);

class Neighbourhood {
 public:
  // An edge that comes to this rank: from whom, and which of that rank's outgoing edges it is.
  struct Incoming {
    int source;  // MPI_PROC_NULL: nothing comes, beyond the border of a grid
    int edge;
  };
  // What an algorithm keeps for it.
  struct Kept {
    Kept() = default;
    virtual ~Kept() = default;
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
  };

  // The one of `comm`, found by the first call, which is collective; it lives as long as the
  // communicator. nullptr on all ranks where there is no topology, or where the library's way to
  // match edges is not understood.
  //
  // Which edge matches which is asked of the library, by an MPI_Neighbor_alltoall: libraries differ
  // where a rank is another's neighbour several times.
  static int of(MPI_Comm comm, Neighbourhood*& found);

  // Until this thread lends another one, `of(to)` is that of `from`, whose ranks are the same: the
  // communicator that algorithms are given carries no topology. Collective, as `of`.
  static int lend(MPI_Comm from, MPI_Comm to, const Neighbourhood*& lent);

  // In the order of the blocks in MPI's buffers.
  const std::vector<Incoming>& incoming() const { return incoming_; }
  const std::vector<int>& destinations() const { return destinations_; }  // or MPI_PROC_NULL
  bool receives() const { return receives_; }
  bool sends() const { return sends_; }

  // Of all ranks, the most edges that go from one.
  int most_outgoing() const { return most_outgoing_; }
  // Whether edges join all ranks, in whatever direction. Then all know alike what the ends of each
  // edge must have alike.
  bool connected() const { return connected_; }

  std::unique_ptr<Kept> kept;

 private:
  int describe(MPI_Comm comm);
  int match(MPI_Comm comm, const std::vector<int>& sources, bool& matched);
  int look_around(MPI_Comm comm, bool& all_matched);

  std::vector<Incoming> incoming_;
  std::vector<int> destinations_;
  bool understood_ = false;
  bool receives_ = false;
  bool sends_ = false;
  int most_outgoing_ = 0;
  bool connected_ = false;
};

}  // namespace leadline::coll
