// Which of two ways to pack the data of a datatype is faster: the library's or leadline's loop.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace leadline::runtime {

enum class Way : std::uint8_t { kUnknown, kOwn, kLibrary };

// Of one datatype and direction, for one class of sizes: those with as many bits.
struct FasterWay {
  std::atomic<Way> way{Way::kUnknown};
  std::atomic<std::uint32_t> calls{0};  // that leadline packed
  float saved = 0;                      // ticks a call; written before `way`
};

class FasterWays {
 public:
  FasterWay& of(std::size_t bytes) { return all_[static_cast<std::size_t>(std::bit_width(bytes))]; }

 private:
  std::array<FasterWay, 65> all_;
};

}  // namespace leadline::runtime
