// The three checks of shmem/put against a network that delivers the words of a put in any order.
#include "benchmarks/shmem/arrival.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace leadline::probe;

namespace {

constexpr std::uint64_t kOld = 1;
constexpr std::uint64_t kNew = 2;
constexpr std::uint64_t kTurn = 7;
constexpr std::size_t kWords = 100;

// A put on its way: `order` says which word comes next; index kWords is the flag.
class Network {
 public:
  explicit Network(std::vector<std::size_t> order) : order_(std::move(order)) {
    fill_words(Words(target_), kOld);
  }

  // Runs the check to its end; returns how many words were not there yet when it said "complete".
  std::size_t missing_after(Check check) {
    const Arrival arrival{
        .words = Words(target_), .base = kNew, .flag = &target_flag_, .flag_value = kTurn};
    await_arrival(check, arrival, [&](const std::uint64_t* word, std::uint64_t value) {
      while (*word != value) deliver();
    });
    return count_wrong_words(Words(target_), kNew);
  }

 private:
  void deliver() {
    REQUIRE(delivered_ < order_.size());
    const std::size_t index = order_[delivered_++];
    if (index == kWords) {
      target_flag_ = kTurn;
    } else {
      target_[index] = put_word(kNew, index);
    }
  }

  std::vector<std::size_t> order_;
  std::size_t delivered_ = 0;
  std::vector<std::uint64_t> target_ = std::vector<std::uint64_t>(kWords);
  std::uint64_t target_flag_ = kTurn - 1;
};

std::vector<std::size_t> in_order() {
  std::vector<std::size_t> order(kWords + 1);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// The words shuffled; the flag behind them, where the fence holds it.
std::vector<std::size_t> fenced(unsigned seed) {
  std::vector<std::size_t> order = in_order();
  std::shuffle(order.begin(), order.end() - 1, std::mt19937(seed));
  return order;
}

}  // namespace

TEST_CASE("in order, every check sees the whole put") {
  for (const Check check : {Check::kLast, Check::kAll, Check::kFlag, Check::kSignal}) {
    CHECK(Network(in_order()).missing_after(check) == 0);
  }
}

TEST_CASE("out of order, the last word says complete while others are missing") {
  std::size_t incomplete = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    incomplete += Network(fenced(seed)).missing_after(Check::kLast) > 0;
  }
  CHECK(incomplete > 90);
}

TEST_CASE("out of order, every word, the fenced flag and the signal see the whole put") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CHECK(Network(fenced(seed)).missing_after(Check::kAll) == 0);
    CHECK(Network(fenced(seed)).missing_after(Check::kFlag) == 0);
    CHECK(Network(fenced(seed)).missing_after(Check::kSignal) == 0);
  }
}

TEST_CASE("a flag without a fence is as unsafe as the last word") {
  std::vector<std::size_t> order = in_order();
  std::reverse(order.begin(), order.end());
  CHECK(Network(order).missing_after(Check::kFlag) == kWords);
  CHECK(Network(order).missing_after(Check::kAll) == 0);
}

TEST_CASE("two puts differ in every word") {
  std::vector<std::uint64_t> memory(kWords);
  const Words words(memory);
  fill_words(words, kOld);
  CHECK(count_wrong_words(words, kOld) == 0);
  CHECK(count_wrong_words(words, kNew) == kWords);
}

TEST_CASE("words with a stride lie apart, and what is between them counts for itself") {
  std::vector<std::uint64_t> memory(3 * kWords);
  const Words words(memory, 3);
  REQUIRE(words.size() == kWords);
  fill_words(words, kNew);
  fill_gaps(words, kOld);
  CHECK(&words[kWords - 1] == &memory[3 * (kWords - 1)]);
  CHECK(count_wrong_words(words, kNew) == 0);
  CHECK(count_wrong_gaps(words, kOld) == 0);
  memory[4] = 0;
  CHECK(count_wrong_words(words, kNew) == 0);
  CHECK(count_wrong_gaps(words, kOld) == 1);
  memory[3] = 0;
  CHECK(count_wrong_words(words, kNew) == 1);
  CHECK(count_wrong_gaps(words, kOld) == 1);
}

TEST_CASE("an unknown check is refused by name") {
  CHECK_THROWS_WITH(check_named("most"), "check=most is not last_unsafe, all, flag or signal");
}
