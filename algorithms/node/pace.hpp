// In which way data are handed over, found out while that is done.
//
// A store to a cache line that another core has read must first take the line away from it. Where
// that takes long, as between core complexes, stores past the caches are up to ten times faster.
// Where cores share a cache, it is best to come back to a line only when it has left the private
// caches; and little data is best written where the last has been. Which holds can change while a
// program runs: virtual machines and schedulers move it about. So every way is tried, by size, and
// timed; the fastest is taken until it is time to try again, or until it has become slow.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace leadline::node {

// In the order in which they are tried: what is stored past the caches is in none afterwards.
enum class Way : std::uint8_t { kSamePlace, kNewPlace, kPastCaches, kSingleCopy };

class Pace {
 public:
  using Ticks = std::uint64_t;
  static constexpr unsigned kMostWays = 4;
  static constexpr unsigned kSizes = 65;
  // Sizes are told apart by their powers of two.
  static std::size_t class_of(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width(bytes));
  }

  // A new place is one of so many bytes.
  explicit Pace(std::size_t ring_bytes) : ring_bytes_(ring_bytes) {}

  struct Choice {
    Way way;
    bool is_trial;
  };
  // How to hand over the data of an exchange, which then is to be timed. Of a size, single copy is
  // always possible or never.
  Choice next(std::size_t bytes, bool can_copy_singly = false) {
    Size& size = begun(bytes, can_copy_singly);
    const unsigned ways = kMostWays - (can_copy_singly ? 0 : 1);
    if (size.trying >= ways) {
      // Who asks one exchange ahead has not yet said what the last trial took.
      const unsigned last = ways - 1;
      if (size.trials[last].taken < row(size, last, bytes)) return usual_choice(size);
      finish_trials(size, ways, bytes, favourite(bytes, can_copy_singly));
    }
    if (size.rest > 0) {
      --size.rest;
      return usual_choice(size);
    }
    const unsigned way = size.trying;
    if (++size.trials[way].begun == row(size, way, bytes)) ++size.trying;
    return {.way = static_cast<Way>(way), .is_trial = true};
  }
  // The same for data that are not timed.
  Way usual(std::size_t bytes) { return begun(bytes, false).fastest; }
  // Before anything is known.
  static Way first(std::size_t bytes, bool can_copy_singly) {
    return is_much(bytes) ? favourite(bytes, can_copy_singly) : Way::kSamePlace;
  }

  // After each exchange that was timed.
  void took(std::size_t bytes, Choice choice, Ticks ticks) {
    Size& size = sizes_[class_of(bytes)];
    if (choice.is_trial) {
      Trial& trial = size.trials[static_cast<std::size_t>(choice.way)];
      const unsigned settled = settling(size, static_cast<unsigned>(choice.way), bytes);
      if (trial.taken >= settled) trial.ticks[trial.taken - settled] = ticks;
      ++trial.taken;
    } else if (size.typical > 0 && ticks > 2 * size.typical) {
      // One that is slow may have been disturbed.
      if (++size.slow >= (is_much(bytes) ? 8U : 16U)) size.rest = 0;
    } else {
      size.slow = 0;
    }
  }

  static Ticks now() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    Ticks ticks = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
  }

 private:
  static constexpr unsigned kMostCounted = 9;
  // Exchanges between trials, at least.
  static constexpr unsigned kLeastRest = 1000;
  // Taken unless another way is faster by a tenth. The kernel's copy takes about as long wherever
  // the ranks' cores are, and others six times longer where these share no cache. Who writes in new
  // places waits the least for those who read, but the first time in each page of the ring waits
  // for the kernel, which for little data takes longer than all that is gained there.
  static Way favourite(std::size_t bytes, bool can_copy_singly) {
    constexpr std::size_t kPage = 4096;
    if (can_copy_singly) return Way::kSingleCopy;
    return bytes < kPage ? Way::kSamePlace : Way::kNewPlace;
  }
  // So much data is moved seldom, and a slow way costs a program what many good ones bring.
  static bool is_much(std::size_t bytes) { return bytes >= std::size_t{128} << 10; }

  struct Trial {
    unsigned begun = 0;
    unsigned taken = 0;
    std::array<Ticks, kMostCounted> ticks{};
  };
  struct Size {
    Way fastest = Way::kSamePlace;
    bool begun = false;
    bool known = false;
    Ticks typical = 0;
    unsigned trying = 0;  // the way
    unsigned rest = 0;    // exchanges until the next trials
    unsigned slow = 0;    // in a row
    std::array<Trial, kMostWays> trials{};
  };

  // A way shows what it is worth only when caches hold what it leaves there: so each is tried
  // several times in a row, and the first times do not count. Of much data, little is left there.
  static constexpr std::size_t kSome = std::size_t{32} << 10;
  static unsigned counted(std::size_t bytes) {
    return is_much(bytes) ? 3 : bytes >= kSome ? 5 : kMostCounted;
  }
  // New places may all have been stored past the caches before. The first trials do not wait for
  // that: most sizes are used a few times only.
  unsigned settling(const Size& size, unsigned way, std::size_t bytes) const {
    constexpr std::size_t kMost = 512;
    const std::size_t usual = bytes >= kSome ? 3 : 7;
    if (is_much(bytes)) return 1;
    const bool goes_round = size.known && static_cast<Way>(way) == Way::kNewPlace;
    return static_cast<unsigned>(
        goes_round ? std::clamp(ring_bytes_ / std::max<std::size_t>(bytes, 1), usual, kMost)
                   : usual);
  }
  unsigned row(const Size& size, unsigned way, std::size_t bytes) const {
    return settling(size, way, bytes) + counted(bytes);
  }

  static Choice usual_choice(const Size& size) { return {.way = size.fastest, .is_trial = false}; }

  // Much data does at first as less does, and is tried when it has turned out to be moved often, or
  // to take longer than that.
  Size& begun(std::size_t bytes, bool can_copy_singly) {
    constexpr unsigned kRestOfUnknown = 16;
    const std::size_t number = class_of(bytes);
    Size& size = sizes_[number];
    if (size.begun) return size;
    size.begun = true;
    size.fastest = first(bytes, can_copy_singly);
    if (!is_much(bytes)) return size;
    size.rest = kRestOfUnknown;
    if (const Size& less = sizes_[number - 1]; less.typical > 0) {
      size.fastest = less.fastest;
      size.typical = 2 * less.typical;
      size.rest = kLeastRest;
    }
    return size;
  }

  void finish_trials(Size& size, unsigned ways, std::size_t bytes, Way favourite) {
    std::array<Ticks, kMostWays> typical{};
    Ticks all = 0;
    for (unsigned way = 0; way < ways; ++way) {
      Trial& trial = size.trials[way];
      const auto middle = trial.ticks.begin() + counted(bytes) / 2;
      std::nth_element(trial.ticks.begin(), middle, trial.ticks.begin() + counted(bytes));
      typical[way] = *middle;
      all += *middle * row(size, way, bytes);
      trial.begun = trial.taken = 0;
    }
    Ticks& of_favourite = typical[static_cast<std::size_t>(favourite)];
    of_favourite -= of_favourite / 10;
    const auto* const best = std::min_element(typical.begin(), typical.begin() + ways);
    size.fastest = static_cast<Way>(best - typical.begin());
    size.typical = std::max<Ticks>(*best, 1);
    size.known = true;
    // One part in a hundred of the time is for trials.
    constexpr Ticks kShare = 100;
    constexpr Ticks kMostRest = 100'000;
    size.rest = static_cast<unsigned>(
        std::clamp<Ticks>(kShare * all / size.typical, kLeastRest, kMostRest));
    size.trying = 0;
    size.slow = 0;
  }

  std::size_t ring_bytes_;
  std::array<Size, kSizes> sizes_{};
};

}  // namespace leadline::node
