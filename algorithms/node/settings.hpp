// What the environment says about collectives in shared memory.
#pragma once

#include <cstddef>

namespace leadline::node {

// What fits into a cell fits into any slot.
inline constexpr std::size_t kLeastSlotBytes = 2 << 10;

struct Settings {
  // LEADLINE_SHARED_SLOT: the data that one rank hands to the others at a time, in bytes. A rank
  // has kBanks of such slots in every communicator that uses shared memory.
  std::size_t slot_bytes = 64 << 10;
  // LEADLINE_SHARED_PIECE: of data of at least two such pieces, the nodes exchange one while they
  // work on the next, in bytes.
  std::size_t piece_bytes = 512 << 10;
  // LEADLINE_SHARED_FLAT: up to so many ranks read one another's small operands directly; more are
  // taken in groups first.
  int flat_ranks = 16;
  // LEADLINE_SHARED_SINGLE_COPY, on or off: whether ranks may read one another's memory through the
  // kernel, where that is allowed and faster.
  bool single_copy = true;
  // LEADLINE_SHARED_DOMAINS: so many domains of memory are pretended, each of neighbouring ranks,
  // so that handing on within them can be tested anywhere. 0: they are what the kernel says.
  int domains = 0;
  // LEADLINE_RANKS_PER_NODE: so many neighbours in MPI_COMM_WORLD count as one node, so that the
  // stage between nodes can be tested on one machine. 0: nodes are what MPI says.
  int ranks_per_node = 0;
};

// Read once. A value that makes no sense is told on standard error and not used.
const Settings& settings();

}  // namespace leadline::node
