// What the ranks of this node do, by their memory: how long they compute, and how many calls they
// make.
#pragma once

#include <map>
#include <optional>

#include "runtime/explain/observer/format.hpp"
#include "runtime/explain/watch/pace.hpp"

namespace leadline::explain {

class Sampler {
 public:
  explicit Sampler(const NodeFile& file) : file_(file) {}

  // What they did since the last time that there was an answer. None where that is too short a time
  // or too few calls, and where not all ranks were at work.
  std::optional<Interval> take(double now_s);

 private:
  struct Done {
    u64 ticks, mpi_ticks, calls;
  };
  std::optional<std::map<u32, Done>> look() const;

  NodeFile file_;
  std::map<u32, Done> before_;  // by place on the node
  double before_s_ = 0;
};

}  // namespace leadline::explain
