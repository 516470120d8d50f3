// Sweeps over arrays in memory: loops so simple that nothing but loads and stores bounds them, in
// the vectors that the processor they run on moves fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leadline::probe {

// Arrays begin on a line of the caches and are whole lines long.
inline constexpr std::size_t kLineBytes = 64;

// `a` is written, `b` and `c` are read, `bytes` bytes of each that is used; all of it `sweeps`
// times.
using Sweep = void(double* a, const double* b, const double* c, double factor, std::size_t bytes,
                   std::size_t sweeps);

// The sum of all words modulo 2^64, `sweeps` times: adding is free beside the loads, and proves
// them.
using Sum = std::uint64_t(const std::uint64_t* words, std::size_t bytes, std::size_t sweeps);

// Loops that this processor can run for as many bytes: in each of its vectors, two halves read side
// by side, since many processors look ahead only within a page: so they do it twice; and of much
// sixteen streams, since a core waits at every new page, and so at sixteen at once.
std::vector<Sum*> sums(std::size_t bytes);
// The fastest of them on these words, by trial: how many loads of which width a core has in a cycle
// differs from processor to processor, and the best number of streams from cache to cache. The
// words must have been written: pages that were not are one page to the caches.
Sum* fastest_sum(const std::uint64_t* words, std::size_t bytes);

// What a sweep does to each element, in the fastest loops of this processor.
struct StoringSweep {
  const char* name;
  const char* formula;
  int arrays;  // a, b and c, as far as they are used
  int loads;   // of an element by the program
  int flops;
  // Whether a line is stored that the program has not loaded: a cache fetches it all the same.
  bool allocates;
  Sweep* usual;
  Sweep* non_temporal;  // nullptr where leadline knows no such stores
  // What an element of `a` is after so many sweeps.
  double (*result)(double a, double b, double c, double factor, double sweeps);
};

const std::vector<StoringSweep>& storing_sweeps();

}  // namespace leadline::probe
