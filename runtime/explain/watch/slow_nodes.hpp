// Finds the nodes of the job that turn slow while it runs.
#pragma once

#include <optional>
#include <string>

#include "runtime/explain/watch/agreement.hpp"
#include "runtime/explain/watch/board.hpp"
#include "runtime/explain/watch/sampler.hpp"

namespace leadline::explain {

class SlowNodes {
 public:
  SlowNodes(const NodeFile& file, const JobPlace& place);

  // What is to be said now, on the first node alone; the job's file has it from now on. It may be
  // asked at any time, and looks every two seconds at most.
  std::string look();

 private:
  void keep(const Judge::News& news);

  NodeFile file_;
  Board board_;
  Sampler sampler_;
  double looked_s_ = 0;
  std::optional<Member> member_;  // once all ranks of the node have begun
  Judge judge_;
};

}  // namespace leadline::explain
