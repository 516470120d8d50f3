// The job's processes on this node, as the kernel shows them to one another.
#pragma once

#include <vector>

namespace leadline::runtime {

struct NodeRanks {
  // Ranks in MPI_COMM_WORLD, in order. Ranks whose process cannot be seen are in neither.
  std::vector<int> with_leadline;
  // They have this process's MPI, but not leadline, or leadline does nothing there: they make none
  // of its calls, however long others wait.
  std::vector<int> without_leadline;
};

// Reads what /proc has of each process of this user, without MPI: for ranks that wait long.
NodeRanks find_node_ranks();

}  // namespace leadline::runtime
