// In which way slots are written, found out while they are used.
//
// A store to a cache line that another core has read must first take the line away from it. Where
// that takes long, as between core complexes, stores past the caches are up to ten times faster.
// Where cores share a cache, it is best to come back to a line only when it has left the private
// caches; and little data is best written where the last has been. Which holds can change while a
// program runs: virtual machines and schedulers move it about. So exchanges are timed in every way,
// by size, and the fastest is taken.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace leadline {

enum class Way { kSamePlace, kPastCaches, kNewPlace };

class Pace {
 public:
  using Ticks = std::uint64_t;

  // How to write the data of an exchange among all ranks, which then is to be timed.
  Way next(std::size_t bytes) {
    Size& size = size_of(bytes);
    // All ranks try the same at the same time, since each waits for the others.
    const unsigned turn = size.exchanges++ % kTurns;
    return turn < kTrials ? static_cast<Way>(turn / kRow) : fastest(size);
  }
  // The same for data that are not timed.
  Way usual(std::size_t bytes) { return fastest(size_of(bytes)); }

  // Whether the exchange that `next` was asked for is one of the trials.
  bool tries(std::size_t bytes) { return (size_of(bytes).exchanges - 1) % kTurns < kTrials; }

  // After each exchange that `next` was asked for.
  void took(std::size_t bytes, Ticks ticks) {
    Size& size = size_of(bytes);
    const unsigned turn = (size.exchanges - 1) % kTurns;
    if (turn >= kTrials || turn % kRow < kSettling) return;
    size.row[turn % kRow - kSettling] = ticks;
    if (turn % kRow + 1 < kRow) return;
    const auto middle = size.row.begin() + (kRow - kSettling) / 2;
    std::nth_element(size.row.begin(), middle, size.row.end());
    size.typical[turn / kRow] = *middle;
  }

  static Ticks now() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
  }

 private:
  static constexpr unsigned kWays = 3;
  // A way shows what it is worth only when caches hold what it leaves there: so each is tried
  // several times in a row, and the first times do not count.
  static constexpr unsigned kRow = 16;
  static constexpr unsigned kSettling = 7;
  static constexpr unsigned kTrials = kWays * kRow;
  static constexpr unsigned kTurns = 8192;

  struct Size {
    unsigned exchanges = 0;
    std::array<Ticks, kRow - kSettling> row{};
    std::array<Ticks, kWays> typical{};
  };
  static Way fastest(const Size& size) {
    return static_cast<Way>(std::min_element(size.typical.begin(), size.typical.end()) -
                            size.typical.begin());
  }
  Size& size_of(std::size_t bytes) {
    return sizes_[static_cast<std::size_t>(std::bit_width(bytes))];
  }

  std::array<Size, 65> sizes_{};
};

}  // namespace leadline
