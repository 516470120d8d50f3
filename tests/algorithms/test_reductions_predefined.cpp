// Every registered reduction against the library's own: all predefined operations on the
// predefined types of C that the standard allows them on (MPI 4.1, section 6.9.2).
#include <doctest/doctest.h>
#include <mpi.h>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "communicator.hpp"
#include "reductions.hpp"

namespace {

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

// Fewer elements than ranks in the larger tests, and more; another root each time. On many ranks,
// which share few cores, only every third pair of a type and an operation has its turn: all have on
// few ranks, and each on one number of many.
class Turns {
 public:
  explicit Turns(int size) : counts_{3, 20, size - 1, size, size + 1}, size_(size) {}
  bool next() { return ++turn_ % 3 == size_ % 3 || size_ <= 4; }
  int count() const { return counts_[turn_ % 5]; }
  int root() const { return turn_ % size_; }

 private:
  int counts_[5];
  int size_;
  int turn_ = 0;
};

template <typename Kind, typename T>
void compare(const Communicator& comm, Turns& turns, MPI_Datatype type,
             const std::vector<MPI_Op>& operations) {
  for (const MPI_Op op : operations) {
    if (!turns.next()) continue;
    const int count = turns.count();
    const int root = turns.root();
    CAPTURE(count);
    CAPTURE(root);
    const int operands = Kind::blocks(comm.size) * count;
    const std::vector<T> in = contribution<T>(comm.rank, operands);
    const std::vector<T> before(static_cast<std::size_t>(count), Make<T>::from(9));
    std::vector<T> expected = before;
    CHECK(Kind::call(Kind::library, in.data(), expected.data(), count, type, op, root,
                     comm.handle) == MPI_SUCCESS);
    for (const auto& [name, algorithm] :
         leadline::coll::Algorithm<typename Kind::Collective>::all()) {
      CAPTURE(std::string(name));
      std::vector<T> found = before;
      CHECK(Kind::call(algorithm->function, in.data(), found.data(), count, type, op, root,
                       comm.handle) == MPI_SUCCESS);
      CHECK(found == expected);
      CHECK(in == contribution<T>(comm.rank, operands));
    }
  }
}

// A class of its own: vector<bool> has no elements whose address could be given to MPI.
struct Logical {
  bool value;
  explicit Logical(int number) : value(number != 0) {}
  bool operator==(const Logical&) const = default;
};

TEST_CASE_TEMPLATE("integers", Kind, OfReduce, OfAllreduce, OfReduceScatterBlock, OfReduceScatter,
                   OfScan, OfExscan) {
  const Communicator comm;
  Turns turns(comm.size);
  const std::vector<MPI_Op> all{MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD, MPI_LAND,
                                MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR,  MPI_BXOR};
  compare<Kind, signed char>(comm, turns, MPI_SIGNED_CHAR, all);
  compare<Kind, unsigned char>(comm, turns, MPI_UNSIGNED_CHAR, all);
  compare<Kind, short>(comm, turns, MPI_SHORT, all);
  compare<Kind, unsigned short>(comm, turns, MPI_UNSIGNED_SHORT, all);
  compare<Kind, int>(comm, turns, MPI_INT, all);
  compare<Kind, unsigned>(comm, turns, MPI_UNSIGNED, all);
  compare<Kind, long>(comm, turns, MPI_LONG, all);
  compare<Kind, unsigned long>(comm, turns, MPI_UNSIGNED_LONG, all);
  compare<Kind, long long>(comm, turns, MPI_LONG_LONG, all);
  compare<Kind, unsigned long long>(comm, turns, MPI_UNSIGNED_LONG_LONG, all);
  compare<Kind, std::int8_t>(comm, turns, MPI_INT8_T, all);
  compare<Kind, std::uint8_t>(comm, turns, MPI_UINT8_T, all);
  compare<Kind, std::int16_t>(comm, turns, MPI_INT16_T, all);
  compare<Kind, std::uint16_t>(comm, turns, MPI_UINT16_T, all);
  compare<Kind, std::int32_t>(comm, turns, MPI_INT32_T, all);
  compare<Kind, std::uint32_t>(comm, turns, MPI_UINT32_T, all);
  compare<Kind, std::int64_t>(comm, turns, MPI_INT64_T, all);
  compare<Kind, std::uint64_t>(comm, turns, MPI_UINT64_T, all);
  compare<Kind, MPI_Aint>(comm, turns, MPI_AINT, all);
  compare<Kind, MPI_Offset>(comm, turns, MPI_OFFSET, all);
  compare<Kind, MPI_Count>(comm, turns, MPI_COUNT, all);
}

TEST_CASE_TEMPLATE("other predefined types", Kind, OfReduce, OfAllreduce, OfReduceScatterBlock,
                   OfReduceScatter, OfScan, OfExscan) {
  const Communicator comm;
  Turns turns(comm.size);
  const std::vector<MPI_Op> on_reals{MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD};
  compare<Kind, float>(comm, turns, MPI_FLOAT, on_reals);
  compare<Kind, double>(comm, turns, MPI_DOUBLE, on_reals);
  compare<Kind, long double>(comm, turns, MPI_LONG_DOUBLE, on_reals);
  const std::vector<MPI_Op> on_complex{MPI_SUM, MPI_PROD};
  compare<Kind, std::complex<float>>(comm, turns, MPI_C_FLOAT_COMPLEX, on_complex);
  compare<Kind, std::complex<double>>(comm, turns, MPI_C_DOUBLE_COMPLEX, on_complex);
  compare<Kind, std::complex<long double>>(comm, turns, MPI_C_LONG_DOUBLE_COMPLEX, on_complex);
  compare<Kind, unsigned char>(comm, turns, MPI_BYTE, {MPI_BAND, MPI_BOR, MPI_BXOR});
  compare<Kind, Logical>(comm, turns, MPI_C_BOOL, {MPI_LAND, MPI_LOR, MPI_LXOR});
  const std::vector<MPI_Op> on_pairs{MPI_MAXLOC, MPI_MINLOC};
  compare<Kind, Pair<float>>(comm, turns, MPI_FLOAT_INT, on_pairs);
  compare<Kind, Pair<double>>(comm, turns, MPI_DOUBLE_INT, on_pairs);
  compare<Kind, Pair<long>>(comm, turns, MPI_LONG_INT, on_pairs);
  compare<Kind, Pair<int>>(comm, turns, MPI_2INT, on_pairs);
  compare<Kind, Pair<short>>(comm, turns, MPI_SHORT_INT, on_pairs);
  compare<Kind, Pair<long double>>(comm, turns, MPI_LONG_DOUBLE_INT, on_pairs);
}

}  // namespace
