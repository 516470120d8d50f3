// Messages between each two processes of a party, with contents that tell all of them apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/content.hpp"

namespace leadline::probe {

// `count` messages of one size, side by side.
class PartyMessages {
 public:
  PartyMessages(std::size_t bytes, int count)
      : bytes_(bytes), memory_(bytes * static_cast<std::size_t>(count)) {}

  std::byte* at(int index) { return memory_.data() + bytes_ * static_cast<std::size_t>(index); }
  int bytes() const { return static_cast<int>(bytes_); }
  void fill(int index, std::uint64_t seed, int from, int to) {
    fill_content(at(index), bytes_, content(seed, from, to));
  }
  std::size_t wrong(int index, std::uint64_t seed, int from, int to) {
    return wrong_content(at(index), bytes_, content(seed, from, to));
  }

 private:
  static std::uint64_t content(std::uint64_t seed, int from, int to) {
    return scatter(scatter(seed) + (static_cast<std::uint64_t>(from) << 32U) +
                   static_cast<std::uint64_t>(to));
  }
  std::size_t bytes_;
  std::vector<std::byte> memory_;
};

}  // namespace leadline::probe
