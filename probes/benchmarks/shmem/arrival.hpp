// What a receiver looks at to learn that a put has come. Nothing here needs OpenSHMEM, so that each
// check can be tried against any order of delivery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace leadline::probe {

enum class Check {
  kLast,    // the last word: unsafe, for the words of one put come in any order
  kAll,     // every word
  kFlag,    // a flag that is put after a fence
  kSignal,  // a flag that the put itself sets when its data are there
};

inline Check check_named(const std::string& name) {
  if (name == "last_unsafe") return Check::kLast;
  if (name == "all") return Check::kAll;
  if (name == "flag") return Check::kFlag;
  if (name == "signal") return Check::kSignal;
  throw std::invalid_argument("check=" + name + " is not last_unsafe, all, flag or signal");
}

// The words of a put where they lie: every `stride`-th, from the first on.
class Words {
 public:
  explicit Words(std::span<std::uint64_t> area, std::size_t stride = 1)
      : area_(area), stride_(stride) {}
  std::size_t size() const { return area_.size() / stride_; }
  std::uint64_t& operator[](std::size_t index) const { return area_[index * stride_]; }
  // Those that lie between.
  std::span<std::uint64_t> area() const { return area_; }
  std::size_t stride() const { return stride_; }

 private:
  std::span<std::uint64_t> area_;
  std::size_t stride_;
};

// Word `index` of a put. Two puts differ in every word, and a word costs the receiver one addition.
constexpr std::uint64_t put_word(std::uint64_t base, std::uint64_t index) {
  return base + index * 0x9e3779b97f4a7c15ULL;
}

inline void fill_words(const Words& words, std::uint64_t base) {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = put_word(base, i);
}

inline std::size_t count_wrong_words(const Words& words, std::uint64_t base) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < words.size(); ++i) wrong += words[i] != put_word(base, i);
  return wrong;
}

// What lies between the words, which no transfer may touch.
inline void fill_gaps(const Words& words, std::uint64_t base) {
  for (std::size_t i = 0; i < words.area().size(); ++i) {
    if (i % words.stride() != 0) words.area()[i] = put_word(base, i);
  }
}

inline std::size_t count_wrong_gaps(const Words& words, std::uint64_t base) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < words.area().size(); ++i) {
    wrong += i % words.stride() != 0 && words.area()[i] != put_word(base, i);
  }
  return wrong;
}

// What is expected where.
struct Arrival {
  Words words;
  std::uint64_t base;
  std::uint64_t* flag;
  std::uint64_t flag_value;
};

// Returns when `check` says that the put has come. `await(word, value)` returns once the word has
// that value.
template <typename Await>
void await_arrival(Check check, const Arrival& arrival, Await await) {
  const std::size_t count = arrival.words.size();
  switch (check) {
    case Check::kLast:
      await(&arrival.words[count - 1], put_word(arrival.base, count - 1));
      return;
    case Check::kAll:
      for (std::size_t i = 0; i < count; ++i) await(&arrival.words[i], put_word(arrival.base, i));
      return;
    case Check::kFlag:
    case Check::kSignal:
      await(arrival.flag, arrival.flag_value);
      return;
  }
}

}  // namespace leadline::probe
