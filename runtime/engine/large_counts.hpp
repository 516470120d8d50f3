// The functions of MPI 4 whose counts are MPI_Count. Ranks may call either form of a collective, so
// both count towards the adoption of a communicator, and both are replaced.
#pragma once

#include <mpi.h>

#include <climits>
#include <string_view>
#include <tuple>

#include "runtime/engine/interception.hpp"
#include "runtime/engine/replacement.hpp"

namespace leadline::runtime {

// `Large` is MPI's signature of `name`, which does what `Small`, a Replacement, stands in for.
template <typename Small, typename Large>
class LargeCounts;

template <typename Collective, auto weigh, typename... Arguments, typename... Large>
class LargeCounts<Replacement<Collective, weigh, int(Arguments...)>, int(Large...)> {
 public:
  explicit LargeCounts(std::string_view name) : interception_(name, call, library_) {}

 private:
  static int call(Large... arguments) {
    const auto pass_on = [&] { return library_(arguments...); };
    if ((fits(arguments) && ...)) {
      return Replacement<Collective, weigh>::carry_out(__builtin_return_address(0), pass_on,
                                                       static_cast<Arguments>(arguments)...);
    }
    // No algorithm takes so much; a rank that describes it in fewer elements finds so, too.
    Adopted::of(std::get<sizeof...(Large) - 1>(std::tie(arguments...)));
    return pass_on();
  }
  template <typename Argument>
  static bool fits(const Argument&) {
    return true;
  }
  static bool fits(const MPI_Count& count) { return count >= INT_MIN && count <= INT_MAX; }

  inline static int (*library_)(Large...) = nullptr;
  const Interception interception_;
};

}  // namespace leadline::runtime
