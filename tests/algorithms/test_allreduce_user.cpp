// Every registered allreduce against the library's own: operations and datatypes of the user's.
#include <doctest/doctest.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "algorithms/allreduce/allreduce.hpp"
#include "communicator.hpp"

namespace {

using leadline::AllreduceAlgorithm;

constexpr int kCounts[] = {0, 1, 2, 7, 8, 9, 100};

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

TEST_CASE("a non-commutative operation keeps the order of ranks") {
  const Communicator comm;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(4, MPI_UINT64_T, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply_matrices, 0, &op);
  for (const auto& [name, algorithm] : AllreduceAlgorithm::all()) {
    CAPTURE(std::string(name));
    for (const int count : kCounts) {
      CAPTURE(count);
      const std::vector<Matrix> in = matrices(comm.rank, count);
      // Multiplied by hand: libraries have got this wrong too.
      std::vector<Matrix> expected = matrices(comm.size - 1, count);
      for (int rank = comm.size - 2; rank >= 0; --rank) {
        int each = count;
        multiply_matrices(matrices(rank, count).data(), expected.data(), &each, nullptr);
      }
      std::vector<Matrix> found(in.size());
      std::vector<Matrix> in_place = in;
      CHECK(algorithm->function(in.data(), found.data(), count, type, op, comm.handle) ==
            MPI_SUCCESS);
      CHECK(algorithm->function(MPI_IN_PLACE, in_place.data(), count, type, op, comm.handle) ==
            MPI_SUCCESS);
      CHECK(found == expected);
      CHECK(in_place == expected);
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

// Two numbers in each element, with gaps around them and between.
struct Layout {
  const char* name;
  std::array<MPI_Aint, 2> displacements;
  MPI_Aint lower_bound;
  MPI_Aint extent;
};

// Its data begin before, at, or after the address that MPI is given; its elements may interleave,
// or run backwards.
const Layout kLayouts[] = {
    {"gaps", {8, 24}, 0, 40},        {"data before the address", {-16, 0}, -24, 48},
    {"interleaved", {0, 800}, 0, 8}, {"backwards", {0, 8}, 0, -16},
    {"without gaps", {0, 8}, 0, 16},
};

std::array<MPI_Aint, 2> displacements_of;

// A user's function knows its type's layout.
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

// Memory with room on both sides of the address that is given to MPI.
class Area {
 public:
  explicit Area(int seed) : bytes_(2 * kRoom) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<std::byte>(seed * 31 + static_cast<int>(i) * 7);
    }
  }
  void* address() { return bytes_.data() + kRoom; }
  bool operator==(const Area&) const = default;

 private:
  static constexpr std::size_t kRoom = 8192;
  std::vector<std::byte> bytes_;
};

TEST_CASE("derived datatypes, whose gaps are left alone") {
  const Communicator comm;
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(add_numbers, 1, &op);
  for (const Layout& layout : kLayouts) {
    CAPTURE(layout.name);
    MPI_Datatype numbers = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    displacements_of = layout.displacements;
    MPI_Type_create_hindexed_block(2, 1, layout.displacements.data(), MPI_UINT64_T, &numbers);
    MPI_Type_create_resized(numbers, layout.lower_bound, layout.extent, &type);
    MPI_Type_commit(&type);
    for (const auto& [name, algorithm] : AllreduceAlgorithm::all()) {
      CAPTURE(std::string(name));
      for (const int count : kCounts) {
        CAPTURE(count);
        Area in(comm.rank + 1);
        // The same gaps on every rank, and a result that starts as something else.
        Area expected(100);
        Area expected_in_place(comm.rank + 1);
        for (int rank = 0; rank < comm.size; ++rank) {
          if (rank == comm.rank) continue;
          Area other(rank + 1);
          int each = count;
          add_numbers(other.address(), expected_in_place.address(), &each, &type);
        }
        MPI_Sendrecv(expected_in_place.address(), count, type, 0, 0, expected.address(), count,
                     type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        Area found(100);
        Area in_place(comm.rank + 1);
        CHECK(algorithm->function(in.address(), found.address(), count, type, op, comm.handle) ==
              MPI_SUCCESS);
        CHECK(algorithm->function(MPI_IN_PLACE, in_place.address(), count, type, op, comm.handle) ==
              MPI_SUCCESS);
        CHECK((found == expected));
        CHECK((in_place == expected_in_place));
        CHECK((in == Area(comm.rank + 1)));
      }
    }
    MPI_Type_free(&type);
    MPI_Type_free(&numbers);
  }
  MPI_Op_free(&op);
}

}  // namespace
