// The hidden folder beside a job's file, or in a recording, in which the nodes of a job tell each
// other where their ranks stand: `leadline stuck` leaves that there on each node, and judges all of
// it on the first one.
//
// NODE/node-NODE.explain leads to the memory of a node's ranks, for processes of that host alone.
// node-NODE.ranks is what was seen of these, as long as they stand.
#pragma once

#include <string>

#include "runtime/explain/observer/format.hpp"
#include "runtime/explain/observer/job_folder.hpp"

namespace leadline::explain {

class Meeting {
 public:
  // `memory` is the descriptor of this node's memory.
  Meeting(const NodeFile& file, int memory, const JobPlace& place);
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  // This node's ranks stand. Returns by what this user's processes here reach its own folder; empty
  // where that could not be made.
  std::string come();
  // They do so no more.
  void leave();
  // Whether all other nodes have come, and what was seen of them is there.
  bool is_whole() const;

 private:
  bool open_folders();

  NodeFile file_;
  int memory_;
  std::string node_;
  std::string name_;  // of the folder, in that of the day
  int day_ = -1;
  int folder_ = -1;
  int own_ = -1;
};

}  // namespace leadline::explain
