// The process that watches the ranks of a node: runtime/explain/watch.
#pragma once

#include <string>

#include "runtime/explain/observer/job_folder.hpp"

namespace leadline::explain {

// Starts it where LEADLINE_EXPLAIN_WATCH says after which time a hang is to be named. `memory` is
// the descriptor of what the node's ranks share, -1 on ranks that have it not and start none;
// `head` begins the text of the job's file.
void start_watcher(int memory, const JobPlace& place, const std::string& head);

}  // namespace leadline::explain
