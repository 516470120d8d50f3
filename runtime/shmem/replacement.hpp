// A function of OpenSHMEM with leadline's in its place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/engine/interception.hpp"
#include "runtime/report/call_counts.hpp"
#include "runtime/shmem/group.hpp"

namespace leadline::runtime {

// What becomes of a call.
struct Decision {
  Group* group = nullptr;
  int processes = 0;
  bool has_bytes = false;  // whether it has `bytes`, of this PE's data
  std::size_t bytes = 0;
  const Rule* rule = nullptr;
  const char* decline_reason = nullptr;  // why it is left to the library; nullptr: it is not
};

// What the profile says about a call on a set. `most` bytes are the most that one of its PEs has.
Decision decide(const Collective& collective, Group* group, const ActiveSet& set, std::size_t most);

// The same of a call of data, of which each PE has so many bytes.
Decision decide_on_data(const Collective& collective, const ActiveSet& set, std::size_t bytes);

// Counts a call of `function` for the report. Nothing while this PE is in one of leadline's own.
void count(const char* function, const Decision& decision, std::uint64_t duration);

inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto* const first = static_cast<const std::byte*>(a);
  const auto* const second = static_cast<const std::byte*>(b);
  return first < second + b_bytes && second < first + a_bytes;
}

// `Entry` has the library's `Function`, which returns nothing, and of the same arguments `decide`,
// which returns a Decision, and `carry_out`, which is given that first. All PEs of the set decide
// alike.
template <typename Entry, typename Function = typename Entry::Function>
class Replacement;

template <typename Entry, typename... Arguments>
class Replacement<Entry, void(Arguments...)> {
 public:
  // `name`, a literal, is the function's.
  explicit Replacement(const char* name) : interception_(name, call, library_) { name_ = name; }

 private:
  static void call(Arguments... arguments) {
    if (!kReporting) [[likely]] {
      carry_out(Entry::decide(arguments...), arguments...);
      return;
    }
    const std::uint64_t begin = ticks();
    const Decision decision = Entry::decide(arguments...);
    carry_out(decision, arguments...);
    count(name_, decision, ticks() - begin);
  }

  static void carry_out(const Decision& decision, Arguments... arguments) {
    if (decision.decline_reason == nullptr) {
      Entry::carry_out(decision, arguments...);
    } else {
      library_(arguments...);
    }
  }

  inline static void (*library_)(Arguments...) = nullptr;
  inline static const char* name_ = nullptr;
  const Interception interception_;
};

}  // namespace leadline::runtime
