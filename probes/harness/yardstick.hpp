// Fixed yardsticks of the machine, by which states of it are known: what they measure is always
// the same, whatever library or benchmark is measured between them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/shared_page.hpp"
#include "harness/world.hpp"

namespace leadline::probe {

// One reading of all, typical over ranks (geometric mean); not finite where it cannot be measured.
// On rank 0.
struct Reading {
  double round_trip = 0.0;  // seconds for a cache line to a neighbouring rank of the node and back
  double copy_rate = 0.0;   // bytes per second of each rank's copy of a fixed block
  double work = 0.0;        // seconds of a fixed chain of integer operations
  double cost = 0.0;        // seconds that measuring it took
};

class Yardsticks {
 public:
  // Collective. `seed` is the launch's.
  Yardsticks(World& world, std::uint64_t seed);
  ~Yardsticks();

  // Collective: on rank 0, whether so long after the last one another is due.
  bool due();
  // Collective: all ranks measure at once.
  Reading measure();

 private:
  double round_trip();
  double bounce(std::size_t line, bool first);
  double copy_rate();
  double work() const;

  World& world_;
  std::uint64_t seed_;
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
  std::unique_ptr<SharedPage> page_;
  std::uint64_t turn_ = 0;  // of all lines, in the measurements so far
  double begin_ = 0.0;
  double last_ = 0.0;
  double spent_ = 0.0;
};

}  // namespace leadline::probe
