// What a thread has found out about a handle, kept for the next calls with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace leadline::runtime {

// Enough for the communicators of a grid, or the types of a program, by turns; and so few that a
// thread does not miss the room.
template <typename Known>
class Memo {
 public:
  // Where what is known about the key is, or shall be put.
  template <typename Key>
  Known& place(Key key) {
    std::uint64_t bits = 0;
    static_assert(sizeof key <= sizeof bits);
    std::memcpy(&bits, &key, sizeof key);
    return places_[(bits * 0x9E3779B97F4A7C15U) >> (64 - kBits)];
  }

 private:
  static constexpr int kBits = 3;
  std::array<Known, std::size_t{1} << kBits> places_{};
};

}  // namespace leadline::runtime
