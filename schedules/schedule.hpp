// What each rank of a communicator does in one call: its messages, and its work between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace leadline::replay {

inline constexpr std::int32_t kNoRank = -1;

// One call that communicates, and the work until the next one.
struct Step {
  enum class Kind : std::uint8_t {
    kNone,   // work alone, before the first message
    kBlock,  // a message out, one in, or both at once, and a wait for both
    kStart,  // a message out or in that a later kWait waits for
    kWait,   // for all that was started
  };

  std::int32_t to = kNoRank;
  std::int32_t from = kNoRank;
  std::uint32_t out_bytes = 0;
  std::uint32_t in_bytes = 0;  // room for so many
  std::uint64_t reduced = 0;   // bytes of one operand
  std::uint64_t copied = 0;
  std::uint16_t out_tag = 0;
  std::uint16_t in_tag = 0;
  Kind kind = Kind::kNone;
  std::uint32_t times = 1;  // in a row

  bool operator==(const Step&) const = default;
};

// Of one rank.
using Program = std::vector<Step>;

// The steps of all ranks.
using Schedule = std::vector<Program>;

// Why there is no schedule, or none that ends.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// More messages than were allowed: about so many, from the ranks that were asked until then.
class TooMany : public Refused {
 public:
  explicit TooMany(double messages) : Refused("too many messages"), messages(messages) {}
  double messages;
};

}  // namespace leadline::replay
