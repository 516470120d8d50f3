// The functions of OpenSHMEM.
#include "runtime/explain/preload/entry.hpp"
#include "runtime/explain/preload/shmem/types.hpp"

namespace leadline::explain {
namespace {

// A function that takes a value of a type which is no word, gives one, or both. The other arguments
// are words, whose places a value does not change: they travel in other registers.
template <typename Value>
struct Kept {
  Value taken;
  Value given;
};

template <typename Value>
Kept<Value>& kept(const Word* words) {
  return *reinterpret_cast<Kept<Value>*>(words[kWords - 1]);
}

template <typename Value>
Word call_that_takes(const Entry& entry, const Word* w) {
  using Function = void(Word, Word, Word, Value);
  auto* const next = reinterpret_cast<Function*>(entry.next.load(std::memory_order_relaxed));
  if (entry.words == 3) {
    next(w[0], w[2], 0, kept<Value>(w).taken);
  } else {
    next(w[0], w[1], w[3], kept<Value>(w).taken);
  }
  return 0;
}

template <typename Value>
Word call_that_gives(const Entry& entry, const Word* w) {
  using Function = Value(Word, Word, Word);
  auto* const next = reinterpret_cast<Function*>(entry.next.load(std::memory_order_relaxed));
  kept<Value>(w).given = next(w[0], w[1], w[2]);
  return 0;
}

template <typename Value>
Word call_that_swaps(const Entry& entry, const Word* w) {
  using Function = Value(Word, Word, Word, Value);
  auto* const next = reinterpret_cast<Function*>(entry.next.load(std::memory_order_relaxed));
  kept<Value>(w).given = entry.words == 3 ? next(w[0], w[2], 0, kept<Value>(w).taken)
                                          : next(w[0], w[1], w[3], kept<Value>(w).taken);
  return 0;
}

}  // namespace

#define LEADLINE_ENTRY_Words(name, id, count, type, context) \
  LEADLINE_EXPLAIN_ENTRY(name, id, kC, count)

// The value's own place among the words, behind the first one or two, stays empty.
#define LEADLINE_TYPED(name, id, count, type, call, value, ...) \
  static Entry entry{.symbol = #name,                           \
                     .function = id,                            \
                     .language = Language::kC,                  \
                     .words = count,                            \
                     .otherwise = call<type>};                  \
  Kept<type> own{value, {}};                                    \
  Word words[kWords] = {__VA_ARGS__};                           \
  words[kWords - 1] = reinterpret_cast<Word>(&own);             \
  entry.handler.load(std::memory_order_acquire)(entry, words, __builtin_return_address(0));

#define LEADLINE_VISIBLE extern "C" __attribute__((visibility("default")))

#define LEADLINE_ENTRY_Takes(name, id, count, type, context)                                 \
  LEADLINE_VISIBLE void name(Word a, Word b, Word c, type value) {                           \
    LEADLINE_TYPED(name, id, count, type, call_that_takes, value, a, (context) == 0 ? 0 : b, \
                   (context) == 0 ? b : 0, c)                                                \
  }

#define LEADLINE_ENTRY_Gives(name, id, count, type, context)            \
  LEADLINE_VISIBLE type name(Word a, Word b, Word c) {                  \
    LEADLINE_TYPED(name, id, count, type, call_that_gives, {}, a, b, c) \
    return own.given;                                                   \
  }

#define LEADLINE_ENTRY_Swaps(name, id, count, type, context)                                 \
  LEADLINE_VISIBLE type name(Word a, Word b, Word c, type value) {                           \
    LEADLINE_TYPED(name, id, count, type, call_that_swaps, value, a, (context) == 0 ? 0 : b, \
                   (context) == 0 ? b : 0, c)                                                \
    return own.given;                                                                        \
  }

#define LEADLINE_OBSERVED(id, handler, name, count, passing, type, context, ...) \
  LEADLINE_ENTRY_##passing(name, id, count, type, context)
#include "observed.inc"

}  // namespace leadline::explain
