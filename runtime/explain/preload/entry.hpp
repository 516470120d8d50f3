// A function that programs call, and who observes its calls.
//
// Arguments are machine words, as in runtime/shared/entry.hpp: this half needs no header of an
// API. The observer, which is loaded in programs of its API alone, reads them as the function has
// them.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/shared/entry.hpp"

namespace leadline::explain {

using runtime::AnyFunction;
using runtime::Word;

// How arguments are to be read.
enum class Language : std::uint8_t {
  kC,
  kLarge,    // C, with counts of MPI_Count
  kFortran,  // addresses of all
};

struct Entry;
using Handler = Word(Entry& entry, Word* words, const void* site);

// Finds out who handles calls of this entry, and handles this one.
Handler first_call;

struct Entry {
  const char* symbol;
  std::uint16_t function;  // as the generated list numbers them
  Language language;
  std::uint8_t words;
  std::atomic<Handler*> handler{&first_call};
  // The next definition of the symbol: the library's, or that of what is preloaded after this.
  std::atomic<AnyFunction*> next{nullptr};
  // Calls it, where what it takes or returns is in no register for words.
  Word (*otherwise)(const Entry& entry, const Word* words) = nullptr;
};

// Most functions take no more than are passed in registers.
inline Word pass_on(const Entry& entry, const Word* w) {
  if (entry.otherwise != nullptr) return entry.otherwise(entry, w);
  AnyFunction* const next = entry.next.load(std::memory_order_relaxed);
  if (entry.words <= 6) {
    using Few = Word(Word, Word, Word, Word, Word, Word);
    return reinterpret_cast<Few*>(next)(w[0], w[1], w[2], w[3], w[4], w[5]);
  }
  using Many =
      Word(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);
  return reinterpret_cast<Many*>(next)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9],
                                       w[10], w[11], w[12], w[13]);
}

// Words of an entry, of which a function takes the first: all that is handed on is written.
constexpr int kWords = 14;
constexpr int words_of(int arguments) { return arguments <= 6 ? 6 : kWords; }

}  // namespace leadline::explain

// What the observer's library has: who handles an entry, nullptr for nobody.
extern "C" leadline::explain::Handler* leadline_observer_handler(const leadline::explain::Entry*);

// A function of this symbol with so many arguments. The words behind them are not read.
#define LEADLINE_EXPLAIN_ENTRY(symbol, id, language, count)                                    \
  extern "C" __attribute__((visibility("default"))) Word symbol(LEADLINE_PARAMETERS_##count) { \
    static Entry entry{#symbol, id, Language::language, count};                                \
    Word words[words_of(count)] = {LEADLINE_ARGUMENTS_##count};                                \
    return entry.handler.load(std::memory_order_acquire)(entry, words,                         \
                                                         __builtin_return_address(0));         \
  }
