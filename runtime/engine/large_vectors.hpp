// The functions of MPI 4 that take arrays of MPI_Count, and of MPI_Aint for offsets.
//
// One rank may have counts or offsets beyond int where others have none, so it alone cannot leave
// the call to the library: it takes part without them, and the algorithm finds so on all ranks.
#pragma once

#include <mpi.h>

#include <climits>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/engine/interception.hpp"
#include "runtime/engine/replacement.hpp"

namespace leadline::runtime {

// An argument as MPI's int, for as long as it lives.
template <typename To>
class AsInt {
 public:
  template <typename From>
  AsInt(const From& argument, int) : value_(static_cast<To>(argument)) {}
  operator To() const { return value_; }

 private:
  To value_;
};

template <>
class AsInt<int> {
 public:
  AsInt(int argument, int) : value_(argument) {}
  // No data of this rank's, where they are too many to count.
  AsInt(MPI_Count argument, int) : value_(argument > INT_MAX ? 0 : static_cast<int>(argument)) {
    if (argument < INT_MIN) value_ = INT_MIN;
  }
  operator int() const { return value_; }

 private:
  int value_;
};

template <>
class AsInt<const int*> {
 public:
  template <typename Number>
  AsInt(const Number* numbers, int size) : fits_(numbers != nullptr) {
    for (int i = 0; fits_ && i < size; ++i) {
      fits_ = numbers[i] >= INT_MIN && numbers[i] <= INT_MAX;
      values_.push_back(static_cast<int>(numbers[i]));
    }
  }
  operator const int*() const { return fits_ ? values_.data() : nullptr; }

 private:
  bool fits_;
  std::vector<int> values_;
};

inline bool is_root(int root, MPI_Comm comm) {
  int rank = MPI_PROC_NULL;
  return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

// For how many ranks a rank's arrays are, 0 where they mean nothing; those before the argument of
// this index, from 0, mean nothing at all.
struct Significant {
  // NOLINTNEXTLINE(google-explicit-constructor): all arrays of most functions are for as many.
  Significant(int ranks, int first_argument = 0) : ranks(ranks), first_argument(first_argument) {}
  int of(std::size_t argument) const {
    return argument < static_cast<std::size_t>(first_argument) ? 0 : ranks;
  }
  int ranks;
  int first_argument;
};

// `Large` is MPI's signature of `name`, which does what `Small`, a Replacement, stands in for.
// `means(size, arguments...)` is the Significant of its arrays.
template <typename Small, typename Large, auto means>
class LargeVectors;

template <typename Collective, auto inspect, typename... Arguments, typename... Large, auto means>
class LargeVectors<Replacement<Collective, inspect, int(Arguments...)>, int(Large...), means> {
 public:
  explicit LargeVectors(std::string_view name) : interception_(name, call, library_) {}

 private:
  static int call(Large... arguments) {
    const auto pass_on = [&] { return library_(arguments...); };
    const MPI_Comm comm = std::get<sizeof...(Large) - 1>(std::tie(arguments...));
    int between_groups = 1;
    int size = 0;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS ||
        between_groups != 0 || PMPI_Comm_size(comm, &size) != MPI_SUCCESS) {
      return pass_on();
    }
    const Significant significant = means(size, arguments...);
    return carry_out(pass_on, significant, std::index_sequence_for<Large...>{}, arguments...);
  }

  template <typename PassOn, std::size_t... index>
  static int carry_out(const PassOn& pass_on, const Significant& significant,
                       std::index_sequence<index...>, Large... arguments) {
    return Replacement<Collective, inspect>::carry_out(
        pass_on, static_cast<Arguments>(AsInt<Arguments>(arguments, significant.of(index)))...);
  }

  inline static int (*library_)(Large...) = nullptr;
  const Interception interception_;
};

}  // namespace leadline::runtime
