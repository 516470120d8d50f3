// Where in its part of the shared memory a rank writes its slots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leadline::node {

using Step = std::uint64_t;

// A step waits until all ranks have finished the one so many steps before.
inline constexpr int kBanks = 4;

class Ring {
 public:
  // Room for kBanks - 1 slots that are in use, for gaps between them, and for one more.
  static constexpr std::size_t kLeastSlots = std::size_t{2} * kBanks;

  // Of at least kLeastSlots of the longest slots.
  explicit Ring(std::size_t bytes) : bytes_(bytes) {}

  std::size_t bytes() const { return bytes_; }
  void grow(std::size_t bytes) { bytes_ = bytes; }
  // Whether a new place for so many bytes would be one that was used before.
  bool goes_round(std::size_t bytes) const { return next_ + bytes > bytes_; }

  // An offset for the slot of `step`, in no slot of a step after `finished`, which is `step` -
  // kBanks at least: the lowest there is, or one that has not been used for longest.
  std::size_t place(Step step, std::size_t bytes, Step finished, bool new_place) {
    constexpr std::size_t kLine = 64;
    const std::size_t length = (bytes + kLine - 1) / kLine * kLine;
    std::size_t offset = new_place ? next_ : 0;
    while (true) {
      if (offset + length > bytes_) offset = 0;
      const Slot* const other = in_use(offset, length, finished);
      if (other == nullptr) break;
      offset = other->end;
    }
    next_ = offset + length;
    slots_[step % kBanks] = {.step = step, .begin = offset, .end = next_};
    return offset;
  }

 private:
  struct Slot {
    Step step = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  const Slot* in_use(std::size_t offset, std::size_t length, Step finished) const {
    for (const Slot& slot : slots_) {
      if (slot.step > finished && offset < slot.end && slot.begin < offset + length) return &slot;
    }
    return nullptr;
  }

  std::size_t bytes_;
  std::size_t next_ = 0;
  std::array<Slot, kBanks> slots_{};
};

}  // namespace leadline::node
