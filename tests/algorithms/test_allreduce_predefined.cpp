// Every registered allreduce against the library's own: all predefined operations on the
// predefined types of C that the standard allows them on (MPI 4.1, section 6.9.2).
#include <doctest/doctest.h>
#include <mpi.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/allreduce/allreduce.hpp"
#include "communicator.hpp"

namespace {

using leadline::AllreduceAlgorithm;

// MPI's pairs of a value and an index.
template <typename Value>
struct Pair {
  Value value;
  int index;
  bool operator==(const Pair&) const = default;
};

// Small whole numbers, so that every order of operands gives the same result.
template <typename T>
struct Make {
  static T from(int number) { return static_cast<T>(number); }
};
template <typename Value>
struct Make<Pair<Value>> {
  static Pair<Value> from(int number) { return {static_cast<Value>(number), 10 - number}; }
};
template <typename T>
struct Make<std::complex<T>> {
  static std::complex<T> from(int number) { return {static_cast<T>(number), T{1} - number}; }
};

template <typename T>
std::vector<T> contribution(int rank, int count) {
  std::vector<T> values;
  for (int i = 0; i < count; ++i) values.push_back(Make<T>::from((rank * 7 + i * 5 + 3) % 3));
  return values;
}

// Fewer elements than ranks in the larger tests, and more.
constexpr int kCounts[] = {3, 20};

template <typename T>
void compare_all(MPI_Datatype type, const std::vector<MPI_Op>& operations) {
  const Communicator comm;
  for (const MPI_Op op : operations) {
    for (const int count : kCounts) {
      CAPTURE(count);
      const std::vector<T> in = contribution<T>(comm.rank, count);
      const std::vector<T> before(in.size(), Make<T>::from(9));
      std::vector<T> expected = before;
      CHECK(PMPI_Allreduce(in.data(), expected.data(), count, type, op, comm.handle) ==
            MPI_SUCCESS);
      for (const auto& [name, algorithm] : AllreduceAlgorithm::all()) {
        CAPTURE(std::string(name));
        std::vector<T> found = before;
        CHECK(algorithm->function(in.data(), found.data(), count, type, op, comm.handle) ==
              MPI_SUCCESS);
        CHECK(found == expected);
        CHECK(in == contribution<T>(comm.rank, count));
      }
    }
  }
}

const std::vector<MPI_Op>& on_integers() {
  static const std::vector<MPI_Op> all{MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD, MPI_LAND,
                                       MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR,  MPI_BXOR};
  return all;
}

TEST_CASE("integers") {
  compare_all<signed char>(MPI_SIGNED_CHAR, on_integers());
  compare_all<unsigned char>(MPI_UNSIGNED_CHAR, on_integers());
  compare_all<short>(MPI_SHORT, on_integers());
  compare_all<unsigned short>(MPI_UNSIGNED_SHORT, on_integers());
  compare_all<int>(MPI_INT, on_integers());
  compare_all<unsigned>(MPI_UNSIGNED, on_integers());
  compare_all<long>(MPI_LONG, on_integers());
  compare_all<unsigned long>(MPI_UNSIGNED_LONG, on_integers());
  compare_all<long long>(MPI_LONG_LONG, on_integers());
  compare_all<unsigned long long>(MPI_UNSIGNED_LONG_LONG, on_integers());
  compare_all<std::int8_t>(MPI_INT8_T, on_integers());
  compare_all<std::uint8_t>(MPI_UINT8_T, on_integers());
  compare_all<std::int16_t>(MPI_INT16_T, on_integers());
  compare_all<std::uint16_t>(MPI_UINT16_T, on_integers());
  compare_all<std::int32_t>(MPI_INT32_T, on_integers());
  compare_all<std::uint32_t>(MPI_UINT32_T, on_integers());
  compare_all<std::int64_t>(MPI_INT64_T, on_integers());
  compare_all<std::uint64_t>(MPI_UINT64_T, on_integers());
  compare_all<MPI_Aint>(MPI_AINT, on_integers());
  compare_all<MPI_Offset>(MPI_OFFSET, on_integers());
  compare_all<MPI_Count>(MPI_COUNT, on_integers());
}

TEST_CASE("floating point") {
  const std::vector<MPI_Op> operations{MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD};
  compare_all<float>(MPI_FLOAT, operations);
  compare_all<double>(MPI_DOUBLE, operations);
  compare_all<long double>(MPI_LONG_DOUBLE, operations);
}

TEST_CASE("complex") {
  const std::vector<MPI_Op> operations{MPI_SUM, MPI_PROD};
  compare_all<std::complex<float>>(MPI_C_FLOAT_COMPLEX, operations);
  compare_all<std::complex<double>>(MPI_C_DOUBLE_COMPLEX, operations);
  compare_all<std::complex<long double>>(MPI_C_LONG_DOUBLE_COMPLEX, operations);
}

TEST_CASE("bytes") { compare_all<unsigned char>(MPI_BYTE, {MPI_BAND, MPI_BOR, MPI_BXOR}); }

// A class of its own: vector<bool> has no elements whose address could be given to MPI.
struct Logical {
  bool value;
  explicit Logical(int number) : value(number != 0) {}
  bool operator==(const Logical&) const = default;
};

TEST_CASE("logical") { compare_all<Logical>(MPI_C_BOOL, {MPI_LAND, MPI_LOR, MPI_LXOR}); }

TEST_CASE("pairs") {
  const std::vector<MPI_Op> operations{MPI_MAXLOC, MPI_MINLOC};
  compare_all<Pair<float>>(MPI_FLOAT_INT, operations);
  compare_all<Pair<double>>(MPI_DOUBLE_INT, operations);
  compare_all<Pair<long>>(MPI_LONG_INT, operations);
  compare_all<Pair<int>>(MPI_2INT, operations);
  compare_all<Pair<short>>(MPI_SHORT_INT, operations);
  compare_all<Pair<long double>>(MPI_LONG_DOUBLE_INT, operations);
}

}  // namespace
