// The proof that ranks have met: that none left a barrier before the last had come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "harness/benchmark.hpp"

namespace leadline::probe {

// The call that is verified has one rank come late, another one for each verification: some time
// after all others. Every rank adds itself to a census before the barrier and reads it after: a
// rank that leaves before the late one has entered finds one missing. A right barrier can never
// fail this; a wrong one that waits for the late rank alone can pass.
class Meeting {
 public:
  explicit Meeting(World& world);
  ~Meeting();

  // Around the barrier. They do something only between `fill` and `wrong_bytes`.
  void arrive() {
    if (census_) enter();
  }
  void leave() {
    if (census_) count();
  }

  void fill(std::uint64_t seed);
  std::size_t wrong_bytes();

 private:
  class Census;
  void enter();
  void count();

  World& world_;
  // No window lives while a barrier is timed.
  std::unique_ptr<Census> census_;
  int late_rank_ = 0;
  std::int64_t found_ = 0;
};

// The operation around `call()`, which no rank may leave before all have come.
template <typename Call>
Operation meeting_operation(const Point& point, const Call& call) {
  const auto meeting = std::make_shared<Meeting>(point.world());
  Operation operation = operation_of(meeting);
  operation.call = [meeting, call] {
    meeting->arrive();
    call();
    meeting->leave();
  };
  // A rank comes late to it.
  operation.verified_call = operation.call;
  return operation;
}

}  // namespace leadline::probe
