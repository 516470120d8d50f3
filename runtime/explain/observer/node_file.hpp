// The memory that the ranks of a node share: the file which other processes read, and what the
// ranks tell one another.
#pragma once

#include <mpi.h>

#include <string>

#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {

struct NodeFile {
  std::byte* bytes = nullptr;
  u64 size = 0;
  bool is_aside = false;  // not in the folder, which this host has not
  std::string failure;    // of which this rank is to speak

  Header& header() const { return *reinterpret_cast<Header*>(bytes); }
  Block& block(int index) const {
    const Header& own = header();
    return *reinterpret_cast<Block*>(bytes + own.blocks_offset +
                                     own.block_bytes * static_cast<u64>(index));
  }
};

// Both collective over the ranks of a node, of which the first makes the file. Without `bytes`
// where that failed.
NodeFile open_node_file(const std::string& folder, MPI_Comm node_comm);
// Of no file, and so many bytes of zeros; nullptr where there is no room.
std::byte* open_shared_memory(u64 size, MPI_Comm node_comm);

// Collective over the first ranks of all nodes: the files of hosts without the folder are brought
// to the first one, which writes them.
void bring_together(const NodeFile& file, const std::string& folder, MPI_Comm leaders);

}  // namespace leadline::explain
