// The ranks of one node as MPI knows them.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "algorithms/node/node.hpp"
#include "algorithms/node_mpi/segment_mpi.hpp"

namespace leadline::node {

// What a rank tells the others before they share memory. All ranks' words are combined by MPI_BAND,
// in one collective, which may carry others' words, too.
struct Terms {
  static constexpr std::size_t kWordsOfCores = sizeof(cpu_set_t) / sizeof(std::uint64_t);
  static constexpr std::size_t kWords = 3 + kWordsOfCores + Offer::kWords;
  using Words = std::array<std::uint64_t, kWords>;

  Words words;
  Offer offer;  // the first rank's
};

// Of a communicator of so many ranks. `offers`: the first rank makes a file for the case that all
// are on one node.
Terms own_terms(int rank, int size, bool knows_nodes, bool offers);

// What all ranks have said.
struct Common {
  Common() = default;
  // This rank's terms, and those that are left of all.
  Common(Terms own, const Terms::Words& all, int rank, int size);

  Room room = kLittle;       // what the least of them would give
  bool know_nodes = false;   // all of them
  bool crowded = false;      // there are more of them than cores, if they are on one node
  bool on_one_host = false;  // unknown otherwise
  Offer offer;               // none where they may be on several
};

// Collective over `comm`; `ranks` are those of this node. No node on all of them where memory
// cannot be shared. `comm` is the communicator whose progress a rank makes that waits long.
// Returns an MPI error code.
int create_node(MPI_Comm ranks, MPI_Comm comm, Common& common, std::unique_ptr<Node>& made);

}  // namespace leadline::node
