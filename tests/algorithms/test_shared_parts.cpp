// Parts of the engine in shared memory, without MPI.
#include <doctest/doctest.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "algorithms/node/kernels.hpp"
#include "algorithms/node/pace.hpp"
#include "algorithms/node/ring.hpp"

namespace {

using namespace leadline::node;

// The operations once more, by words that have nothing in common with the kernels.
template <typename T>
T reduced(Operator op, T left, T right) {
  if constexpr (!std::is_floating_point_v<T>) {
    const auto bits = [](T number) { return std::bitset<64>(static_cast<std::uint64_t>(number)); };
    const auto number = [](const std::bitset<64>& bits) {
      return static_cast<T>(bits.to_ullong());
    };
    if (op == Operator::kLogicalAnd) return left == 0 ? T{0} : static_cast<T>(right != 0);
    if (op == Operator::kLogicalOr) return left != 0 ? T{1} : static_cast<T>(right != 0);
    if (op == Operator::kLogicalXor) return static_cast<T>((left == 0) != (right == 0));
    if (op == Operator::kBitwiseAnd) return number(bits(left) & bits(right));
    if (op == Operator::kBitwiseOr) return number(bits(left) | bits(right));
    if (op == Operator::kBitwiseXor) return number(bits(left) ^ bits(right));
  }
  if (op == Operator::kSum) return static_cast<T>(left + right);
  if (op == Operator::kProduct) return static_cast<T>(left * right);
  return op == Operator::kMaximum ? std::max(left, right) : std::min(left, right);
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
      // Zero and negative ones, which are large unsigned ones, too; no sum is too large for them.
      left[i] = static_cast<T>(static_cast<T>(i * 7 % 11) - T{5});
      right[i] = static_cast<T>(static_cast<T>(i * 5 % 13) - T{6});
    }
    const std::vector<T> a = left;
    const std::vector<T> b = right;
    std::vector<T>& target = result == Result::kInLeft    ? left
                             : result == Result::kInRight ? right
                                                          : out;
    combine_kernel(number, op)(left.data() + 1, right.data() + 1, target.data() + 1,
                               count * sizeof(T));
    for (std::size_t i = 1; i <= count; ++i) wrong += target[i] == reduced(op, a[i], b[i]) ? 0 : 1;
  }
  return wrong;
}

bool has_kernel(Number number, Operator op) { return combine_kernel(number, op) != nullptr; }

constexpr Operator kOfReals[] = {Operator::kSum, Operator::kProduct, Operator::kMaximum,
                                 Operator::kMinimum};
constexpr Operator kOfBits[] = {Operator::kBitwiseAnd, Operator::kBitwiseOr, Operator::kBitwiseXor};
constexpr Operator kOfTruths[] = {Operator::kLogicalAnd, Operator::kLogicalOr,
                                  Operator::kLogicalXor};

template <typename T>
void check(Number number, std::initializer_list<std::span<const Operator>> operators) {
  for (const auto& some : operators) {
    for (const Operator op : some) {
      CAPTURE(static_cast<int>(number));
      CAPTURE(static_cast<int>(op));
      REQUIRE(has_kernel(number, op));
      for (const Result result : {Result::kElsewhere, Result::kInLeft, Result::kInRight}) {
        CHECK(count_wrong<T>(number, op, result) == 0);
      }
    }
  }
}

TEST_CASE("shared: reductions of every length, in place too") {
  check<float>(Number::kFloat, {kOfReals});
  check<double>(Number::kDouble, {kOfReals});
  check<long double>(Number::kLongDouble, {kOfReals});
  check<std::int8_t>(Number::kInt8, {kOfReals, kOfTruths, kOfBits});
  check<std::int16_t>(Number::kInt16, {kOfReals, kOfTruths, kOfBits});
  check<std::int32_t>(Number::kInt32, {kOfReals, kOfTruths, kOfBits});
  check<std::int64_t>(Number::kInt64, {kOfReals, kOfTruths, kOfBits});
  check<std::uint8_t>(Number::kUint8, {kOfReals, kOfTruths, kOfBits});
  check<std::uint16_t>(Number::kUint16, {kOfReals, kOfTruths, kOfBits});
  check<std::uint32_t>(Number::kUint32, {kOfReals, kOfTruths, kOfBits});
  check<std::uint64_t>(Number::kUint64, {kOfReals, kOfTruths, kOfBits});
  check<std::uint8_t>(Number::kByte, {kOfBits});
  check<std::uint8_t>(Number::kBool, {kOfTruths});
}

TEST_CASE("shared: what the standard does not allow has no kernel") {
  for (const Number number : {Number::kFloat, Number::kDouble, Number::kLongDouble}) {
    for (const Operator op : kOfBits) CHECK_FALSE(has_kernel(number, op));
    for (const Operator op : kOfTruths) CHECK_FALSE(has_kernel(number, op));
  }
  CHECK_FALSE(has_kernel(Number::kFloatComplex, Operator::kMaximum));
  CHECK_FALSE(has_kernel(Number::kDoubleComplex, Operator::kBitwiseOr));
  CHECK_FALSE(has_kernel(Number::kByte, Operator::kSum));
  CHECK_FALSE(has_kernel(Number::kBool, Operator::kSum));
}

template <typename T>
int count_wrong_complex(Number number) {
  constexpr std::size_t kCount = 37;
  std::vector<std::complex<T>> left;
  std::vector<std::complex<T>> right;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto part = static_cast<T>(i);
    left.emplace_back(part - 9, 4 - part);
    right.emplace_back(part - 20, part / 2);
  }
  std::vector<std::complex<T>> sum(kCount);
  const std::size_t bytes = kCount * sizeof(std::complex<T>);
  combine_kernel(number, Operator::kSum)(left.data(), right.data(), sum.data(), bytes);
  std::vector<std::complex<T>> product = left;
  combine_kernel(number, Operator::kProduct)(product.data(), right.data(), product.data(), bytes);
  int wrong = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const T real = left[i].real() * right[i].real() - left[i].imag() * right[i].imag();
    const T imaginary = left[i].real() * right[i].imag() + left[i].imag() * right[i].real();
    wrong += product[i] == std::complex<T>(real, imaginary) ? 0 : 1;
    wrong += sum[i] == left[i] + right[i] ? 0 : 1;
  }
  return wrong;
}

TEST_CASE("shared: reductions of complex numbers") {
  CHECK(count_wrong_complex<float>(Number::kFloatComplex) == 0);
  CHECK(count_wrong_complex<double>(Number::kDoubleComplex) == 0);
  // As the C language multiplies, whatever vectors would make of it: an infinite number stays one.
  const std::complex<double> infinite(std::numeric_limits<double>::infinity(), 0);
  const std::complex<double> turned(0, 1);
  std::complex<double> product;
  combine_kernel(Number::kDoubleComplex, Operator::kProduct)(&infinite, &turned, &product,
                                                             sizeof product);
  CHECK(std::isinf(product.imag()));
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

constexpr std::size_t kRingBytes = 1 << 20;

// What an exchange takes in each way.
struct Costs {
  Pace::Ticks same_place;
  Pace::Ticks new_place;
  Pace::Ticks past_caches;

  Pace::Ticks of(Way way) const {
    return way == Way::kSamePlace ? same_place : way == Way::kNewPlace ? new_place : past_caches;
  }
};

// Exchanges of that cost; returns the usual way after them.
Way usual_after(Pace& pace, int exchanges, const Costs& costs, std::size_t bytes = kBytes) {
  for (int i = 0; i < exchanges; ++i) {
    const Pace::Choice choice = pace.next(bytes);
    pace.took(bytes, choice, costs.of(choice.way));
  }
  return pace.usual(bytes);
}

TEST_CASE("shared: the fastest way is found, and again when the machine changes") {
  Pace pace(kRingBytes);
  CHECK(usual_after(pace, 100, {300, 200, 100}) == Way::kPastCaches);
  CHECK(pace.next(kBytes).way == Way::kPastCaches);
  // Soon where the way in use has become slow, else in time.
  CHECK(usual_after(pace, 100, {300, 200, 900}) == Way::kNewPlace);
  CHECK(usual_after(pace, 100'000, {80, 200, 900}) == Way::kSamePlace);
  // Other sizes are another matter.
  CHECK(pace.usual(128) == Way::kSamePlace);
}

TEST_CASE("shared: little data stay in the same place unless another is clearly faster") {
  constexpr std::size_t kLittle = 512;
  Pace pace(kRingBytes);
  CHECK(usual_after(pace, 100, {100, 95, 900}, kLittle) == Way::kSamePlace);
  CHECK(usual_after(pace, 100'000, {100, 80, 900}, kLittle) == Way::kNewPlace);
}

TEST_CASE("shared: exchanges that were disturbed change nothing") {
  Pace pace(kRingBytes);
  int number = 0;
  int trials = 0;
  for (int i = 0; i < 500; ++i) {
    const Pace::Choice choice = pace.next(kBytes);
    trials += choice.is_trial ? 1 : 0;
    const bool disturbed = ++number % 4 == 0;
    pace.took(kBytes, choice, disturbed ? 100'000 : choice.way == Way::kPastCaches ? 100 : 130);
  }
  CHECK(pace.usual(kBytes) == Way::kPastCaches);
  CHECK(trials == 24);
}

TEST_CASE("shared: one part in a hundred of the time is for trials") {
  Pace pace(kRingBytes);
  const Costs costs{.same_place = 100, .new_place = 500, .past_caches = 900};
  Pace::Ticks best = 0;
  Pace::Ticks all = 0;
  usual_after(pace, 48, costs);
  for (int i = 0; i < 1'000'000; ++i) {
    const Pace::Choice choice = pace.next(kBytes);
    pace.took(kBytes, choice, costs.of(choice.way));
    all += costs.of(choice.way);
    best += costs.same_place;
  }
  CHECK(all > best);
  CHECK(all < best + best / 50);
}

TEST_CASE("shared: much data begins as less data does") {
  Pace pace(kRingBytes);
  constexpr std::size_t kMuch = std::size_t{4} << 20;
  CHECK(usual_after(pace, 100, {300, 200, 100}, kMuch / 2) == Way::kPastCaches);
  const Pace::Choice choice = pace.next(kMuch);
  CHECK(choice.way == Way::kPastCaches);
  CHECK(!choice.is_trial);
  CHECK(usual_after(pace, 1100, {300, 100, 200}, kMuch) == Way::kNewPlace);
}

TEST_CASE("shared: a program that moves much data a few times pays for no trial") {
  Pace pace(kRingBytes);
  usual_after(pace, 100, {300, 200, 100}, std::size_t{64} << 10);
  for (std::size_t bytes = std::size_t{128} << 10; bytes <= std::size_t{8} << 20; bytes *= 2) {
    for (int i = 0; i < 40; ++i) {
      const Pace::Choice choice = pace.next(bytes);
      CHECK(choice.way == Way::kPastCaches);
      CHECK(!choice.is_trial);
      pace.took(bytes, choice, bytes / 600);
    }
  }
  // Unless the way that is best for less is slow.
  CHECK(usual_after(pace, 30, {300, 200, 100'000}, std::size_t{1} << 20) == Way::kNewPlace);
  // Nor where nothing is known of less data.
  Pace other(kRingBytes);
  const Pace::Choice choice = other.next(std::size_t{1} << 20);
  CHECK(choice.way == Way::kNewPlace);
  CHECK(!choice.is_trial);
}

TEST_CASE("shared: who asks one exchange ahead finds the same") {
  Pace pace(kRingBytes);
  const Costs costs{.same_place = 300, .new_place = 100, .past_caches = 200};
  Pace::Choice current{.way = Way::kSamePlace, .is_trial = false};
  for (int i = 0; i < 100; ++i) {
    const Pace::Choice next = pace.next(kBytes);
    pace.took(kBytes, current, costs.of(current.way));
    current = next;
  }
  CHECK(current.way == Way::kNewPlace);
  CHECK(!current.is_trial);
}

}  // namespace
