// A collective of MPI's with leadline's algorithms in the place of the library's own.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <tuple>

#include "algorithms/collectives/algorithm.hpp"
#include "runtime/engine/choice.hpp"
#include "runtime/engine/communicator_state.hpp"
#include "runtime/engine/heap.hpp"
#include "runtime/engine/interception.hpp"
#include "runtime/fortran/caller.hpp"

namespace leadline::runtime {

// What a call moves, or why it is left to the library.
struct CallInfo {
  std::size_t bytes = 0;  // as the benchmark of the collective counts them
  const char* decline_reason = nullptr;
  bool declined() const { return decline_reason != nullptr; }
};

inline CallInfo decline(const char* reason) { return {.decline_reason = reason}; }

// Whether one rule holds for all sizes, since no size is known to all ranks. Calls that the rule
// leaves to the library need not be inspected, which takes a quarter of what the shortest take.
template <typename Collective>
inline constexpr bool kOneRule = false;

// The error handler of the program's communicator decides about an error in an algorithm. Where it
// returns from a lack of memory, the program ends: this rank did not take part, and the others wait
// for it.
void report_failure(const char* collective, MPI_Comm comm, int code);

// Whether libraries take a buffer as large as the data for it.
template <typename Collective>
inline constexpr bool kReduces = false;

// `inspect` takes the communicator's state and the call's arguments, and returns their CallInfo.
// The collective's arguments end with the communicator.
template <typename Collective, auto inspect, typename Function = typename Collective::Function>
class Replacement;

template <typename Collective, auto inspect, typename... Arguments>
class Replacement<Collective, inspect, int(Arguments...)> {
 public:
  using Function = int(Arguments...);

  // `collective`, a literal, as profiles call it; stands in for the MPI function `name`.
  Replacement(std::string_view collective, std::string_view name)
      : interception_(name, call, library_), fortran_(collective) {
    name_ = collective.data();
    index_ = KnownCollective::add({.name = collective,
                                   .find = find,
                                   .waits_for_all = coll::waits_for_all<Collective>(),
                                   .one_way_to = coll::one_way_to<Collective>()});
  }

  // Calls the algorithm which the profile names for this call, or `pass_on()`, which stands for
  // what the program called. Returns what that returns.
  template <typename PassOn>
  static int carry_out(const PassOn& pass_on, Arguments... arguments) {
    const std::tuple<Arguments...> all(arguments...);
    Choice choice = choose(std::get<kComm>(all), arguments...);
    if (choice.is_trial) [[unlikely]]
      return try_out(choice, pass_on, all);
    if (!kReporting) [[likely]]
      return carry_out(choice, pass_on, all);
    const std::uint64_t begin = ticks();
    const int code = carry_out(choice, pass_on, all);
    const std::uint64_t duration = ticks() - begin;
    record(describe_call<Collective>(name_, choice, all), duration);
    return code;
  }

 private:
  static constexpr std::size_t kComm = sizeof...(Arguments) - 1;

  static int call(Arguments... arguments) {
    return carry_out([&] { return library_(arguments...); }, arguments...);
  }

  static Choice choose(MPI_Comm comm, Arguments... arguments) {
    CommunicatorState* const state = CommunicatorState::of(comm);
    if (state == nullptr) return {};
    if constexpr (kOneRule<Collective>) {
      SizeRange& only = state->choice(index_, 0);
      if (only.function == nullptr && only.quiet > 0) {
        --only.quiet;
        return {.state = state, .range = &only};
      }
    }
    const CallInfo info = inspect(*state, arguments...);
    if (info.declined()) return {.state = state, .decline_reason = info.decline_reason};
    SizeRange& range = state->choice(index_, info.bytes);
    if (kReduces<Collective> && range.function != nullptr) as_if_freed(info.bytes);
    return {
        .state = state, .range = &range, .function = range.function, .is_trial = --range.quiet < 0};
  }

  // A call from which leadline learns which way is the faster one.
  template <typename PassOn>
  static int try_out(Choice choice, const PassOn& pass_on, const std::tuple<Arguments...>& all) {
    Learnt& learnt = *choice.range->learnt;
    choice.function = learnt.tries_candidate() ? learnt.candidate : learnt.base;
    const std::uint64_t begin = ticks();
    const int code = carry_out(choice, pass_on, all);
    const std::uint64_t end = ticks();
    if (kReporting) record(describe_call<Collective>(name_, choice, all), end - begin);
    learn(*choice.range, choice.state->comm(), choice.state->one_clock(), begin, end);
    return code;
  }

  template <typename PassOn>
  static int carry_out(const Choice& choice, const PassOn& pass_on, std::tuple<Arguments...> all) {
    if (choice.function == nullptr) return pass_on();
    const MPI_Comm called = std::get<kComm>(all);
    std::get<kComm>(all) = choice.state->comm();
    const int code = attempt(choice.function, all);
    if (code == coll::kLeftToLibrary) return pass_on();
    if (code != MPI_SUCCESS) {
      choice.state->spoil();
      report_failure(name_, called, code);
    }
    return code;
  }

  static int attempt(AnyFunction* function, const std::tuple<Arguments...>& all) {
    try {
      return std::apply(*reinterpret_cast<Function*>(function), all);
    } catch (const std::bad_alloc&) {
      return MPI_ERR_NO_MEM;
    }
  }

  static AnyFunction* find(std::string_view name) {
    const auto* const algorithm = coll::Algorithm<Collective>::find(name);
    return algorithm == nullptr ? nullptr : reinterpret_cast<AnyFunction*>(algorithm->function);
  }

  inline static Function* library_ = nullptr;
  inline static const char* name_ = nullptr;
  inline static std::size_t index_ = 0;
  const Interception interception_;
  const FortranCaller<Replacement> fortran_;
};

}  // namespace leadline::runtime
