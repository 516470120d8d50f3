// Parts of the engine in shared memory, without MPI.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "algorithms/shared/kernels.hpp"
#include "algorithms/shared/pace.hpp"
#include "algorithms/shared/ring.hpp"

namespace {

using namespace leadline;

template <typename T>
T expected(Operator op, T left, T right) {
  switch (op) {
    case Operator::kSum:
      return left + right;
    case Operator::kProduct:
      return left * right;
    case Operator::kMaximum:
      return left > right ? left : right;
    default:
      return left < right ? left : right;
  }
}

enum class Result { kElsewhere, kInLeft, kInRight };

template <typename T>
int count_wrong(Number number, Operator op, Result result) {
  int wrong = 0;
  for (std::size_t count = 0; count < 70; ++count) {
    // One element in, so that vectors are not aligned.
    std::vector<T> left(count + 1);
    std::vector<T> right(count + 1);
    std::vector<T> out(count + 1);
    for (std::size_t i = 0; i <= count; ++i) {
      left[i] = static_cast<T>(i * 7 % 11) - 5;
      right[i] = static_cast<T>(i * 5 % 13) - 6;
    }
    const std::vector<T> a = left;
    const std::vector<T> b = right;
    std::vector<T>& target = result == Result::kInLeft    ? left
                             : result == Result::kInRight ? right
                                                          : out;
    combine_kernel(number, op)(left.data() + 1, right.data() + 1, target.data() + 1, count);
    for (std::size_t i = 1; i <= count; ++i) wrong += target[i] == expected(op, a[i], b[i]) ? 0 : 1;
  }
  return wrong;
}

TEST_CASE("shared: reductions of every length, in place too") {
  for (const Operator op :
       {Operator::kSum, Operator::kProduct, Operator::kMaximum, Operator::kMinimum}) {
    for (const Result result : {Result::kElsewhere, Result::kInLeft, Result::kInRight}) {
      CHECK(count_wrong<float>(Number::kFloat, op, result) == 0);
      CHECK(count_wrong<double>(Number::kDouble, op, result) == 0);
      CHECK(count_wrong<std::int32_t>(Number::kInt32, op, result) == 0);
      CHECK(count_wrong<std::int64_t>(Number::kInt64, op, result) == 0);
    }
  }
}

TEST_CASE("shared: copies of every length, and no byte more") {
  for (const auto copy : {copy_bytes, stream_bytes}) {
    int wrong = 0;
    for (std::size_t bytes = 0; bytes < 1100; ++bytes) {
      std::vector<unsigned char> from(bytes + 1);
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7 + 1);
      alignas(64) unsigned char to[1200];
      std::memset(to, 0xee, sizeof to);
      copy(from.data() + 1, to, bytes);
      wrong += std::memcmp(to, from.data() + 1, bytes) == 0 && to[bytes] == 0xee ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("shared: a slot lies in no slot that is in use") {
  constexpr std::size_t kLongest = 1024;
  constexpr std::size_t kRing = Ring::kLeastSlots * kLongest;
  struct Slot {
    Step step;
    std::size_t begin;
    std::size_t end;
  };
  std::mt19937 random(7);
  Ring ring(kRing);
  std::vector<Slot> all;
  Step finished = kBanks;
  int wrong = 0;
  for (Step step = kBanks + 1; step < 5000; ++step) {
    finished = std::max(finished, step - 1 - random() % kBanks);
    const std::size_t bytes = 1 + random() % kLongest;
    const std::size_t offset = ring.place(step, bytes, finished, random() % 2 == 0);
    wrong += offset % 64 == 0 && offset + bytes <= kRing ? 0 : 1;
    for (const Slot& slot : all) {
      const bool overlaps = offset < slot.end && slot.begin < offset + bytes;
      wrong += slot.step > finished && overlaps ? 1 : 0;
    }
    all.push_back({step, offset, offset + bytes});
    if (all.size() > kBanks) all.erase(all.begin());
  }
  CHECK(wrong == 0);
}

TEST_CASE("shared: a ring comes back to the same place, or goes on to a new one") {
  Ring same(Ring::kLeastSlots * 1024);
  Ring other(Ring::kLeastSlots * 1024);
  CHECK(same.place(5, 100, 4, false) == 0);
  CHECK(same.place(6, 100, 5, false) == 0);
  CHECK(same.place(7, 100, 5, false) == 128);
  CHECK(other.place(5, 100, 4, true) == 0);
  CHECK(other.place(6, 100, 5, true) == 128);
  CHECK(other.place(7, 100, 6, true) == 256);
}

constexpr std::size_t kBytes = 65536;

// Exchanges that each take what `ticks` says of their way; returns the usual way after them.
Way usual_after(Pace& pace, int exchanges, const std::vector<Pace::Ticks>& ticks) {
  for (int i = 0; i < exchanges; ++i) {
    pace.took(kBytes, ticks[static_cast<std::size_t>(pace.next(kBytes))]);
  }
  return pace.usual(kBytes);
}

TEST_CASE("shared: the fastest way is found, and again when the machine changes") {
  Pace pace;
  CHECK(usual_after(pace, 100, {300, 100, 200}) == Way::kPastCaches);
  CHECK(pace.next(kBytes) == Way::kPastCaches);
  CHECK(usual_after(pace, 10'000, {300, 100, 50}) == Way::kNewPlace);
  CHECK(usual_after(pace, 10'000, {80, 100, 900}) == Way::kSamePlace);
  // Other sizes are another matter.
  CHECK(usual_after(pace, 10'000, {300, 100, 200}) == Way::kPastCaches);
  CHECK(pace.usual(128) == Way::kSamePlace);
}

TEST_CASE("shared: exchanges that were disturbed change nothing") {
  Pace pace;
  int number = 0;
  for (int i = 0; i < 100; ++i) {
    const Way way = pace.next(kBytes);
    const bool disturbed = ++number % 4 == 0;
    pace.took(kBytes, disturbed ? 100'000 : way == Way::kPastCaches ? 100 : 110);
  }
  CHECK(pace.usual(kBytes) == Way::kPastCaches);
}

TEST_CASE("shared: all ranks try the same way at the same time") {
  Pace first;
  Pace second;
  int different = 0;
  int ways = 0;
  for (int i = 0; i < 48; ++i) {
    const Way way = first.next(kBytes);
    different += way == second.next(kBytes) ? 0 : 1;
    ways |= 1 << static_cast<int>(way);
    first.took(kBytes, way == Way::kSamePlace ? 1 : 9);
    second.took(kBytes, way == Way::kSamePlace ? 9 : 1);
  }
  CHECK(different == 0);
  CHECK(ways == 7);
}

}  // namespace
