// Times drawn from declared distributions, and faults, for the simulated benchmarks.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "comm/thread_world.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe {

// The axes that describe a simulated operation.
std::vector<Axis> draw_axes();

class Draw {
 public:
  explicit Draw(const Point& point);

  // What the next call takes on this rank, in seconds. Also lets the fault happen when its call
  // has come.
  double next();
  // The byte that the fault spoils, if it is the data's turn.
  bool spoils_data() const { return fault_ == "wrong_data" && calls_ > fault_after_; }

 private:
  double distributed();

  ThreadWorld& world_;
  std::uint64_t seed_;
  std::mt19937_64 generator_;
  std::string distribution_;
  std::string fault_;
  double typical_;
  double spread_;
  std::int64_t fault_after_;
  std::int64_t calls_ = 0;
};

}  // namespace leadline::probe
