// Counts calls of functions that are never replaced.
#include <deque>
#include <utility>

#include "runtime/engine/interception.hpp"
#include "runtime/report/call_counts.hpp"

namespace leadline::runtime {
namespace {

using Word = std::intptr_t;

struct Named {
  const char* name;
  const char* reason;
};

// X(name, arguments, why it is left to the library); each has an entry that notes it.
#define LEADLINE_COUNTED(X)            \
  X(MPI_Alltoallw, 9, "no algorithm")  \
  X(MPI_Iallgather, 8, "non-blocking") \
  X(MPI_Iallreduce, 7, "non-blocking") \
  X(MPI_Ialltoall, 8, "non-blocking")  \
  X(MPI_Ibarrier, 2, "non-blocking")   \
  X(MPI_Ibcast, 6, "non-blocking")     \
  X(MPI_Ireduce, 8, "non-blocking")    \
  X(MPI_Ireduce_scatter_block, 7, "non-blocking")

#define LEADLINE_NAMED(name, count, reason) {#name, reason},
constexpr Named kCounted[] = {LEADLINE_COUNTED(LEADLINE_NAMED)};
#define LEADLINE_COUNT_OF(name, count, reason) count,
constexpr int kArguments[] = {LEADLINE_COUNTED(LEADLINE_COUNT_OF)};

template <int kFunction, typename Arguments>
class CountedFunction;

template <int kFunction, int... kArgument>
class CountedFunction<kFunction, std::integer_sequence<int, kArgument...>> {
 public:
  static void intercept(std::deque<Interception>& interceptions) {
    interceptions.emplace_back(kCounted[kFunction].name, call, library_);
  }

 private:
  template <int>
  using WordOf = Word;
  using Function = Word(WordOf<kArgument>...);

  static Word call(WordOf<kArgument>... arguments) {
    const std::uint64_t begin = ticks();
    const Word code = library_(arguments...);
    const std::uint64_t duration = ticks() - begin;
    record({.function = kCounted[kFunction].name, .reason = kCounted[kFunction].reason}, duration);
    return code;
  }

  inline static Function* library_ = nullptr;
};

template <int... kFunction>
std::deque<Interception> intercept(std::integer_sequence<int, kFunction...>) {
  std::deque<Interception> all;
  if (!kReporting) return all;
  (CountedFunction<kFunction, std::make_integer_sequence<int, kArguments[kFunction]>>::intercept(
       all),
   ...);
  return all;
}

const std::deque<Interception> interceptions =
    intercept(std::make_integer_sequence<int, std::size(kCounted)>());

}  // namespace
}  // namespace leadline::runtime
