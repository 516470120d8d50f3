// Every registered reduction with operations and datatypes of the user's, against what each rank
// computes by itself: libraries have got this wrong too.
#include <doctest/doctest.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "communicator.hpp"
#include "memory.hpp"
#include "reductions.hpp"

namespace {

using Matrix = std::array<std::uint64_t, 4>;

// The product of two 2x2 matrices depends on their order.
void multiply_matrices(void* left, void* right_and_result, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const Matrix*>(left);
  auto* b = static_cast<Matrix*>(right_and_result);
  for (int i = 0; i < *count; ++i) {
    const Matrix x = a[i];
    const Matrix y = b[i];
    b[i] = {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
            x[2] * y[1] + x[3] * y[3]};
  }
}

std::vector<Matrix> matrices(int rank, int count) {
  std::vector<Matrix> all;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
    const std::uint64_t r = static_cast<std::uint64_t>(rank) + 1;
    all.push_back({r, r + i, i + 1, 2 * r + 1});
  }
  return all;
}

std::vector<Matrix> product(int size, int count) {
  std::vector<Matrix> result = matrices(size - 1, count);
  for (int rank = size - 2; rank >= 0; --rank) {
    multiply_matrices(matrices(rank, count).data(), result.data(), &count, nullptr);
  }
  return result;
}

// Calls it twice, the second time with MPI_IN_PLACE where the root, or all, may.
template <typename Kind>
void check_product(typename Kind::Collective::Function* function, int count, MPI_Datatype type,
                   MPI_Op op, int root, const Communicator& comm,
                   const std::vector<Matrix>& all_expected) {
  const int operands = Kind::blocks(comm.size) * count;
  const std::vector<Matrix> in = matrices(comm.rank, operands);
  std::vector<Matrix> found(static_cast<std::size_t>(count));
  std::vector<Matrix> in_place = in;
  if (!Kind::has_result(comm.rank, root)) {
    for (int repetition = 0; repetition < 2; ++repetition) {
      CHECK(Kind::call(function, in.data(), nullptr, count, type, op, root, comm.handle) ==
            MPI_SUCCESS);
    }
    return;
  }
  CHECK(Kind::call(function, in.data(), found.data(), count, type, op, root, comm.handle) ==
        MPI_SUCCESS);
  CHECK(Kind::call(function, MPI_IN_PLACE, in_place.data(), count, type, op, root, comm.handle) ==
        MPI_SUCCESS);
  const auto first = all_expected.begin() + Kind::result_block(comm.rank) * count;
  const std::vector<Matrix> expected(first, first + count);
  in_place.resize(expected.size());
  CHECK(found == expected);
  CHECK(in_place == expected);
}

TEST_CASE_TEMPLATE("a non-commutative operation keeps the order of ranks", Kind, OfReduce,
                   OfAllreduce, OfReduceScatterBlock, OfReduceScatter, OfScan, OfExscan) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(4, MPI_UINT64_T, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply_matrices, 0, &op);
  for (const auto& comm : communicators()) {
    for (const int count : {0, 1, comm->size - 1, comm->size, comm->size + 1, 101}) {
      CAPTURE(count);
      const int summed = Kind::summed(comm->rank, comm->size);
      const std::vector<Matrix> expected =
          summed > 0 ? product(summed, Kind::blocks(comm->size) * count) : std::vector<Matrix>();
      for (const auto& [name, algorithm] :
           leadline::coll::Algorithm<typename Kind::Collective>::all()) {
        CAPTURE(std::string(name));
        for (int root = 0; root < (Kind::rooted ? comm->size : 1); ++root) {
          CAPTURE(root);
          check_product<Kind>(algorithm->function, count, type, op, root, *comm, expected);
        }
      }
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

TEST_CASE_TEMPLATE("long vectors keep the order of ranks, too", Kind, OfReduce, OfAllreduce, OfScan,
                   OfExscan) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(4, MPI_UINT64_T, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply_matrices, 0, &op);
  const Communicator comm;
  constexpr int count = 40'011;  // more than 1 MiB
  const int summed = Kind::summed(comm.rank, comm.size);
  const std::vector<Matrix> expected = summed > 0 ? product(summed, count) : std::vector<Matrix>();
  for (const auto& [name, algorithm] :
       leadline::coll::Algorithm<typename Kind::Collective>::all()) {
    CAPTURE(std::string(name));
    check_product<Kind>(algorithm->function, count, type, op, comm.size - 1, comm, expected);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

// Where the second number of an element lies. What MPI tells a user's function about its type does
// not include that; a program knows it.
std::array<MPI_Aint, 2> displacements_of;

std::array<MPI_Aint, 2> displacements(MPI_Datatype type) {
  MPI_Aint lowest = 0;
  MPI_Aint true_extent = 0;
  MPI_Type_get_true_extent(type, &lowest, &true_extent);
  return {lowest, lowest + true_extent - MPI_Aint{sizeof(std::uint64_t)}};
}

void add_numbers(void* in, void* in_and_result, int* count, MPI_Datatype* type) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(*type, &lower_bound, &extent);
  for (int i = 0; i < *count; ++i) {
    for (const MPI_Aint displacement : displacements_of) {
      const MPI_Aint at = i * extent + displacement;
      std::uint64_t number = 0;
      std::uint64_t sum = 0;
      std::memcpy(&number, static_cast<std::byte*>(in) + at, sizeof number);
      std::memcpy(&sum, static_cast<std::byte*>(in_and_result) + at, sizeof sum);
      sum += number;
      std::memcpy(static_cast<std::byte*>(in_and_result) + at, &sum, sizeof sum);
    }
  }
}

struct Sum {
  const Communicator& comm;
  int root;
  int count;
  const Type& type;
  MPI_Op op;

  Area operands(int rank, int blocks) const {
    return {type, count, blocks, static_cast<std::uint64_t>(rank) + 1};
  }
  // Of the first `ranks`, with the gaps of this one.
  Area expected(int blocks, int ranks) const {
    Area sum = operands(comm.rank, blocks);
    Area first = operands(0, blocks);
    for (int block = 0; block < blocks; ++block) copy_block(first, block, sum, block);
    int each = count * blocks;
    MPI_Datatype handle = type.handle;
    for (int rank = 1; rank < ranks; ++rank) {
      Area other = operands(rank, blocks);
      add_numbers(other.address(), sum.address(), &each, &handle);
    }
    return sum;
  }
};

template <typename Kind>
void check_sum(typename Kind::Collective::Function* function, const Sum& sum, Area& all_expected) {
  const Communicator& comm = sum.comm;
  const int blocks = Kind::blocks(comm.size);
  const auto call = [&](const void* in, void* out) {
    CHECK(Kind::call(function, in, out, sum.count, sum.type.handle, sum.op, sum.root,
                     comm.handle) == MPI_SUCCESS);
  };
  Area in = sum.operands(comm.rank, blocks);
  if (!Kind::has_result(comm.rank, sum.root)) {
    call(in.address(), nullptr);
    call(in.address(), nullptr);
    CHECK((in == sum.operands(comm.rank, blocks)));
    return;
  }
  Area found(sum.type, sum.count, 1, 100);
  Area expected = found;
  copy_block(all_expected, Kind::result_block(comm.rank), expected, 0);
  call(in.address(), found.address());
  CHECK((found == expected));
  CHECK((in == sum.operands(comm.rank, blocks)));
  // The other blocks of operands may be overwritten, or not.
  call(MPI_IN_PLACE, in.address());
  copy_block(in, 0, found, 0);
  CHECK((found == expected));
  for (int block = 0; block < blocks; ++block) copy_block(all_expected, block, in, block);
  CHECK((in == all_expected));
}

TEST_CASE_TEMPLATE("derived datatypes, whose gaps are left alone", Kind, OfReduce, OfAllreduce,
                   OfReduceScatterBlock) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(add_numbers, 1, &op);
  for (const auto& comm : communicators()) {
    int root = 0;
    for (const Type& type : types_of_two_numbers()) {
      if (type.multiple != 1) continue;
      CAPTURE(type.name);
      displacements_of = displacements(type.handle);
      for (const int count : {1, comm->size - 1, comm->size + 1}) {
        CAPTURE(count);
        root = (root + 1) % comm->size;
        CAPTURE(root);
        const Sum sum{*comm, root, count, type, op};
        Area expected =
            sum.expected(Kind::blocks(comm->size), Kind::summed(comm->rank, comm->size));
        for (const auto& [name, algorithm] :
             leadline::coll::Algorithm<typename Kind::Collective>::all()) {
          CAPTURE(std::string(name));
          check_sum<Kind>(algorithm->function, sum, expected);
        }
      }
    }
  }
  MPI_Op_free(&op);
}

TEST_CASE_TEMPLATE("long vectors, which MPI sends by rendezvous", Kind, OfReduce, OfAllreduce,
                   OfReduceScatterBlock) {
  const Communicator comm;
  constexpr int count = 20'011;
  const int operands = Kind::blocks(comm.size) * count;
  std::vector<double> in;
  for (int i = 0; i < operands; ++i) in.push_back((comm.rank + 1) * (i % 1013) + comm.rank);
  const int root = comm.size - 1;
  for (const auto& [name, algorithm] :
       leadline::coll::Algorithm<typename Kind::Collective>::all()) {
    CAPTURE(std::string(name));
    std::vector<double> found(count);
    CHECK(Kind::call(algorithm->function, in.data(), found.data(), count, MPI_DOUBLE, MPI_SUM, root,
                     comm.handle) == MPI_SUCCESS);
    if (!Kind::has_result(comm.rank, root)) continue;
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
      const int element = Kind::result_block(comm.rank) * count + i;
      const int ranks = Kind::summed(comm.rank, comm.size);
      const double expected = ranks * (ranks + 1) / 2 * (element % 1013) + ranks * (ranks - 1) / 2;
      wrong += found[static_cast<std::size_t>(i)] == expected ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace
