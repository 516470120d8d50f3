// The memory that the ranks of a node share: the file which other processes read, and what the
// ranks tell one another.
#pragma once

#include <string>

#include "runtime/explain/observer/job.hpp"
#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {

// What is kept in memory alone must not take from the program what it may need later.
bool leaves_room(u64 size);

// One rank says it, for all.
void speak(const std::string& what);

// All below are collective over the job. The first rank of each node makes what its ranks share.

// Without `bytes`, on all ranks, where that failed anywhere: one of them says why. Without a folder
// it is in memory alone, in silence, and without visits. The first rank of each node gets its
// descriptor, which it has to close; the others keep theirs.
NodeFile open_node_file(const std::string& folder, Job& job, int& descriptor);
// Of no file, and so many bytes of zeros; nullptr where there is no room on this node.
std::byte* open_shared_memory(u64 size, Job& job);
// The files of hosts without the folder are brought to the first rank, which writes them.
void bring_together(const NodeFile& file, const std::string& folder, Job& job);

}  // namespace leadline::explain
