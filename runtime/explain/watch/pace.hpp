// How long the ranks of a node compute between their calls, and since when for longer than before.
// It is told what was seen, and looks at nothing itself.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

namespace leadline::explain {

// What all ranks of the node did in a short time, in seconds since 1970 and in those of all ranks.
struct Interval {
  double begun_s;
  double lasted_s;
  double computing_s;
  double calls;
};

// From then on they compute so many times longer for each call.
struct Slowness {
  double since_s;
  double factor;
  std::optional<double> until_s;  // when that was over
};

class Pace {
 public:
  void add(const Interval& interval);
  // The last one.
  const std::optional<Slowness>& slowness() const { return slowness_; }
  // It is no news any more: what lasts is what is usual from now on.
  void settle();
  // Whether they surely compute no longer since then; false where too little is known.
  bool is_as_before(double since_s, double factor) const;

 private:
  struct Seen {
    double begun_s;
    double cost;  // the logarithm of the seconds for each call
  };

  bool is_slow() const { return slowness_ && !slowness_->until_s; }
  bool knows_past() const;
  void look_for_slowness(double part);
  void look_for_end();

  std::deque<Seen> past_;
  std::deque<Seen> recent_;
  double usual_ = 0;
  double spread_ = 0;
  std::optional<Slowness> slowness_;
};

}  // namespace leadline::explain
