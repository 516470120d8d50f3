// The functions of MPI 4 whose counts are MPI_Count. Ranks may call either form of a collective, so
// both count towards the adoption of a communicator, and both are replaced.
#pragma once

#include <mpi.h>

#include <climits>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/engine/interception.hpp"
#include "runtime/engine/replacement.hpp"

namespace leadline::runtime {

// An argument of such a function as the one with counts of `int` takes it.
template <typename Argument>
class Narrowed {
 public:
  Narrowed(Argument argument, MPI_Comm) : argument_(argument) {}
  bool fits() const { return true; }
  Argument value() const { return argument_; }

 private:
  Argument argument_;
};

template <>
class Narrowed<MPI_Count> {
 public:
  Narrowed(MPI_Count count, MPI_Comm) : count_(count) {}
  bool fits() const { return count_ >= INT_MIN && count_ <= INT_MAX; }
  int value() const { return static_cast<int>(count_); }

 private:
  MPI_Count count_;
};

// One for each rank.
template <>
class Narrowed<const MPI_Count*> {
 public:
  Narrowed(const MPI_Count* counts, MPI_Comm comm) {
    int size = 0;
    if (counts == nullptr || comm == MPI_COMM_NULL || PMPI_Comm_size(comm, &size) != MPI_SUCCESS) {
      return;
    }
    for (const MPI_Count* count = counts; count < counts + size; ++count) {
      fits_ = fits_ && Narrowed<MPI_Count>(*count, comm).fits();
      counts_.push_back(static_cast<int>(*count));
    }
  }
  bool fits() const { return fits_; }
  const int* value() const { return counts_.empty() ? nullptr : counts_.data(); }

 private:
  bool fits_ = true;
  std::vector<int> counts_;
};

// `Large` is MPI's signature of `name`, which does what `Small`, a Replacement, stands in for.
template <typename Small, typename Large>
class LargeCounts;

template <typename Collective, auto inspect, typename... Arguments, typename... Large>
class LargeCounts<Replacement<Collective, inspect, int(Arguments...)>, int(Large...)> {
 public:
  explicit LargeCounts(std::string_view name) : interception_(name, call, library_) {}

 private:
  static int call(Large... arguments) {
    const MPI_Comm comm = std::get<sizeof...(Large) - 1>(std::tie(arguments...));
    const auto pass_on = [&] { return library_(arguments...); };
    return carry_out(pass_on, comm, Narrowed<Large>(arguments, comm)...);
  }
  template <typename PassOn, typename... Narrow>
  static int carry_out(const PassOn& pass_on, MPI_Comm comm, const Narrow&... narrowed) {
    if ((narrowed.fits() && ...)) {
      return Replacement<Collective, inspect>::carry_out(
          pass_on, static_cast<Arguments>(narrowed.value())...);
    }
    // No algorithm takes so much; a rank that describes it in fewer elements finds so, too.
    CommunicatorState::of(comm);
    return pass_on();
  }

  inline static int (*library_)(Large...) = nullptr;
  const Interception interception_;
};

}  // namespace leadline::runtime

// Stands in for a function of MPI, and in MPI 4 for its form with counts of MPI_Count, with
// `inspect` of the same file; `name` is what profiles call the collective.
#define LEADLINE_REPLACES(Collective, name, Name)                               \
  const Replacement<coll::Collective, inspect> replacement{name, "MPI_" #Name}; \
  LEADLINE_REPLACES_LARGE(Collective, Name)
#if MPI_VERSION >= 4
#define LEADLINE_REPLACES_LARGE(Collective, Name)                                            \
  const LargeCounts<Replacement<coll::Collective, inspect>, decltype(MPI_##Name##_c)> large{ \
      "MPI_" #Name "_c"};
#else
#define LEADLINE_REPLACES_LARGE(Collective, Name)
#endif
