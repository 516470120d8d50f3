#include "benchmarks/node/sweeps.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace leadline::probe;

namespace {

constexpr std::size_t kLines[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 64, 101};
constexpr std::size_t kElements = kLineBytes / sizeof(double);

template <typename T>
struct Lines {
  explicit Lines(std::size_t count)
      : memory(static_cast<T*>(std::aligned_alloc(kLineBytes, count * kLineBytes)), &std::free) {}
  T* data() { return memory.get(); }
  T& operator[](std::size_t i) { return memory.get()[i]; }
  std::unique_ptr<T[], decltype(&std::free)> memory;
};

double expected(const std::string& name, double a, double b, double c, double q, int sweeps) {
  for (int i = 0; i < sweeps; ++i) {
    if (name == "write") a = q;
    if (name == "copy") a = b;
    if (name == "scale") a = q * b;
    if (name == "triad") a = b + q * c;
    if (name == "update") a = a + q * b;
  }
  return a;
}

void check_sweep(const StoringSweep& sweep, Sweep* loop, std::size_t lines) {
  const std::size_t count = lines * kElements;
  Lines<double> a(lines + 1);
  Lines<double> b(lines);
  Lines<double> c(lines);
  for (std::size_t i = 0; i < count + kElements; ++i) a[i] = static_cast<double>(i) + 1.0;
  for (std::size_t i = 0; i < count; ++i) {
    b[i] = static_cast<double>(3 * i);
    c[i] = static_cast<double>(7 * i + 5);
  }
  loop(a.data(), b.data(), c.data(), 11.0, lines * kLineBytes, 3);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double before = static_cast<double>(i) + 1.0;
    const double right = expected(sweep.name, before, b[i], c[i], 11.0, 3);
    wrong += a[i] != right || sweep.result(before, b[i], c[i], 11.0, 3.0) != right;
  }
  CHECK(wrong == 0);
  for (std::size_t i = count; i < count + kElements; ++i) {
    wrong += a[i] != static_cast<double>(i) + 1.0;
  }
  CHECK_MESSAGE(wrong == 0, "the line after the array is not its own");
}

}  // namespace

TEST_CASE("the sum of a sweep takes in every word once") {
  std::vector<std::size_t> lengths(std::begin(kLines), std::end(kLines));
  // Long enough for several streams, and odd.
  for (const std::size_t lines : {0, 1, 37}) {
    lengths.push_back((std::size_t{5} << 20) / kLineBytes + lines);
  }
  for (const std::size_t lines : lengths) {
    const std::size_t count = lines * kElements;
    Lines<std::uint64_t> words(lines);
    for (std::size_t i = 0; i < count; ++i) words[i] = (i + 1) * 0x9e3779b97f4a7c15ULL;
    const std::uint64_t sum = std::accumulate(words.data(), words.data() + count, std::uint64_t{0});
    const std::vector<Sum*> loops = sums(lines * kLineBytes);
    for (Sum* const loop : loops) {
      CHECK(loop(words.data(), lines * kLineBytes, 1) == sum);
      CHECK(loop(words.data(), lines * kLineBytes, 5) == 5 * sum);
    }
    CHECK(std::ranges::count(loops, fastest_sum(words.data(), lines * kLineBytes)) == 1);
  }
}

TEST_CASE("a sweep stores what it says in every element of its array and nowhere else") {
  CHECK(storing_sweeps().size() == 5);
  for (const StoringSweep& sweep : storing_sweeps()) {
    CAPTURE(sweep.name);
    for (const std::size_t lines : kLines) {
      CAPTURE(lines);
      check_sweep(sweep, sweep.usual, lines);
      if (sweep.non_temporal != nullptr) check_sweep(sweep, sweep.non_temporal, lines);
    }
  }
}
