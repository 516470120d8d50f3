// A folder beside a job's file in which the nodes of a job leave a text each for the others, as
// long as they have something to say. Without that there is no folder.
#pragma once

#include <string>
#include <vector>

#include "runtime/explain/observer/job_folder.hpp"

namespace leadline::explain {

class Board {
 public:
  Board(const JobPlace& place, unsigned node);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // Instead of what this node has left before; nothing is left of an empty one.
  void leave(const std::string& text);
  std::vector<std::string> of_others() const;

 private:
  std::string name_;
  std::string node_;
  int day_;
  std::string left_;
};

}  // namespace leadline::explain
