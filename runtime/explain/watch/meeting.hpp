// The folder beside a job's file in which the watchers of a job's nodes put what their ranks do
// when these stand, so that that of the first rank sees all of them.
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

  // This node's ranks stand: its memory as it is now is there for the others.
  void come();
  // They do so no more.
  void leave();
  // Whether this node and all others have come.
  bool is_whole() const;
  // By which this user's processes reach the folder; empty where it could not be made.
  std::string path() const;

 private:
  NodeFile file_;
  int memory_;
  std::string own_;   // the name of this node's file
  std::string name_;  // of the folder, in that of the day
  int day_ = -1;
  int folder_ = -1;
  bool has_come_ = false;
};

}  // namespace leadline::explain
