// Reduce_scatter with blocks of different lengths, some of which are empty.
#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/collectives/reduce_scatter/reduce_scatter.hpp"
#include "communicator.hpp"

namespace {

using leadline::coll::ReduceScatterAlgorithm;

// x -> scale x + offset.
struct Affine {
  std::uint32_t scale;
  std::uint32_t offset;
  bool operator==(const Affine&) const = default;
};

// Composed, which depends on the order.
void compose(void* left, void* right_and_result, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const Affine*>(left);
  auto* b = static_cast<Affine*>(right_and_result);
  for (int i = 0; i < *count; ++i) {
    b[i] = {a[i].scale * b[i].scale, a[i].offset * b[i].scale + b[i].offset};
  }
}

template <typename T>
struct Make;
template <>
struct Make<Affine> {
  static Affine from(int rank, int i) {
    const auto r = static_cast<std::uint32_t>(rank);
    return {2 * r + 3, r + static_cast<std::uint32_t>(i) + 1};
  }
  static Affine combine(Affine left, Affine right) {
    int one = 1;
    compose(&left, &right, &one, nullptr);
    return right;
  }
};
template <>
struct Make<std::int64_t> {
  static std::int64_t from(int rank, int i) { return (rank + 1) * 1'000'003LL + i; }
  static std::int64_t combine(std::int64_t left, std::int64_t right) { return left + right; }
};

std::vector<std::vector<int>> counts_for(int size, int some) {
  const auto ranks = static_cast<std::size_t>(size);
  std::vector<int> rising(ranks);
  std::iota(rising.begin(), rising.end(), 0);
  for (int& count : rising) count *= some;
  std::vector<int> falling(rising.rbegin(), rising.rend());
  std::vector<int> of_last(ranks, 0);
  of_last.at(ranks - 1) = some;
  std::vector<int> of_first(ranks, 0);
  of_first.at(0) = some;
  std::vector<int> alternating(ranks, some);
  for (std::size_t rank = 0; rank < ranks; rank += 2) alternating[rank] = 1;
  return {rising, falling, of_last, of_first, alternating};
}

template <typename T>
void check(const Communicator& comm, const std::vector<int>& counts, MPI_Datatype type, MPI_Op op) {
  const auto rank = counts.begin() + comm.rank;
  const int first = std::accumulate(counts.begin(), rank, 0);
  const int total = std::accumulate(rank, counts.end(), first);
  std::vector<T> in;
  for (int i = 0; i < total; ++i) in.push_back(Make<T>::from(comm.rank, i));
  std::vector<T> expected;
  for (int i = first; i < first + *rank; ++i) {
    expected.push_back(Make<T>::from(0, i));
    for (int other = 1; other < comm.size; ++other) {
      expected.back() = Make<T>::combine(expected.back(), Make<T>::from(other, i));
    }
  }
  for (const auto& [name, algorithm] : ReduceScatterAlgorithm::all()) {
    CAPTURE(std::string(name));
    std::vector<T> out(expected.size());
    CHECK(algorithm->function(in.data(), out.data(), counts.data(), type, op, comm.handle) ==
          MPI_SUCCESS);
    CHECK((out == expected));
    std::vector<T> in_place = in;
    CHECK(algorithm->function(MPI_IN_PLACE, in_place.data(), counts.data(), type, op,
                              comm.handle) == MPI_SUCCESS);
    in_place.resize(expected.size());
    CHECK((in_place == expected));
  }
}

TEST_CASE("reduce_scatter: blocks of different lengths keep the order of ranks") {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(2, MPI_UINT32_T, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(compose, 0, &op);
  for (const auto& comm : communicators()) {
    for (const int some : {1, 6, 50, 9'000}) {
      for (const auto& counts : counts_for(comm->size, some)) {
        CAPTURE(counts.front());
        CAPTURE(counts.back());
        check<std::int64_t>(*comm, counts, MPI_INT64_T, MPI_SUM);
        check<Affine>(*comm, counts, type, op);
      }
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

}  // namespace
