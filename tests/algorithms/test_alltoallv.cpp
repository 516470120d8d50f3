// Every registered alltoallv, with blocks of a length for each pair of ranks, none and the longest
// among them, in places that do not follow the ranks. Expected results are put together on each
// rank by itself.
#include <doctest/doctest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "algorithms/collectives/alltoallv/alltoallv.hpp"
#include "communicator.hpp"
#include "memory.hpp"

namespace {

using leadline::coll::Alltoallv;

int call_library(const void* in, const int* in_counts, const int* in_offsets, MPI_Datatype in_type,
                 void* out, const int* out_counts, const int* out_offsets, MPI_Datatype out_type,
                 MPI_Comm comm) {
  return PMPI_Alltoallv(in, in_counts, in_offsets, in_type, out, out_counts, out_offsets, out_type,
                        comm);
}

// The elements that one rank sends to another one: as many both ways in place, else not.
struct Lengths {
  int most;
  int size;
  bool in_place;
  int of(int from, int to) const {
    const int kind = in_place ? from + to : 2 * from + to;
    return most * (kind % (size + 1)) / size;
  }
};

// A rank's blocks, with room for `most` elements in each.
struct Blocks {
  Blocks(const Type& type, const Lengths& lengths, std::uint64_t seed)
      : type(type), area(type, lengths.most, lengths.size, seed), size(lengths.size) {}
  // The last rank's lies first.
  int place(int rank) const { return size - 1 - rank; }
  void add(int rank, int elements) {
    counts.push_back(elements * type.multiple);
    offsets.push_back(place(rank) * area.count());
  }

  Type type;
  Area area;
  int size;
  std::vector<int> counts;
  std::vector<int> offsets;
};

struct Test {
  const Communicator& comm;
  Lengths lengths;
  const std::vector<Type>& in_types;
  const std::vector<Type>& out_types;
};

Blocks given(const Test& test, int rank) {
  const auto own = static_cast<std::size_t>(rank);
  Blocks blocks(test.in_types[own % test.in_types.size()], test.lengths, own + 1);
  for (int to = 0; to < test.comm.size; ++to) blocks.add(to, test.lengths.of(rank, to));
  return blocks;
}

Blocks room(const Test& test, int rank) {
  const auto own = static_cast<std::size_t>(rank);
  Blocks blocks(test.out_types[3 * own % test.out_types.size()], test.lengths, own + 1001);
  for (int from = 0; from < test.comm.size; ++from) blocks.add(from, test.lengths.of(from, rank));
  return blocks;
}

Blocks expected_results(const Test& test) {
  const int me = test.comm.rank;
  Blocks expected = room(test, me);
  for (int sender = 0; sender < test.comm.size; ++sender) {
    Blocks from = test.lengths.in_place ? room(test, sender) : given(test, sender);
    const int elements = test.lengths.of(sender, me);
    PMPI_Sendrecv(from.area.block(from.place(me)), elements * from.type.multiple, from.type.handle,
                  0, 0, expected.area.block(expected.place(sender)),
                  elements * expected.type.multiple, expected.type.handle, 0, 0, MPI_COMM_SELF,
                  MPI_STATUS_IGNORE);
  }
  return expected;
}

void check(const Test& test, const Blocks& expected, Alltoallv::Function* function) {
  Blocks in = given(test, test.comm.rank);
  Blocks out = room(test, test.comm.rank);
  const bool in_place = test.lengths.in_place;
  // What means nothing in place may be nonsense.
  const auto call = [&](Alltoallv::Function* any) {
    return any(in_place ? MPI_IN_PLACE : in.area.address(), in_place ? nullptr : in.counts.data(),
               in_place ? nullptr : in.offsets.data(),
               in_place ? MPI_DATATYPE_NULL : in.type.handle, out.area.address(), out.counts.data(),
               out.offsets.data(), out.type.handle, test.comm.handle);
  };
  int code = call(function);
  if (code == leadline::coll::kLeftToLibrary) code = call(call_library);
  CHECK(code == MPI_SUCCESS);
  CHECK((out.area == expected.area));
  CHECK((in.area == given(test, test.comm.rank).area));
}

void check_all(const Test& test) {
  CAPTURE(test.lengths.most);
  CAPTURE(test.lengths.in_place);
  const Blocks expected = expected_results(test);
  for (const auto& [name, algorithm] : leadline::coll::AlltoallvAlgorithm::all()) {
    CAPTURE(std::string(name));
    check(test, expected, algorithm->function);
  }
  CAPTURE(std::string("library"));
  check(test, expected, call_library);
}

TEST_CASE("alltoallv: blocks of all lengths, from none to several slots") {
  const std::vector<Type> bytes{{"MPI_BYTE", MPI_BYTE, 1}};
  for (const auto& comm : communicators()) {
    for (const int most : {0, 1, 8, 1003, 200'003}) {
      for (const bool in_place : {false, true}) {
        check_all({*comm, {most, comm->size, in_place}, bytes, bytes});
      }
    }
  }
}

TEST_CASE("alltoallv: derived datatypes, another on each rank, whose gaps are left alone") {
  const Communicator comm;
  // Interleaved elements stay apart while there are fewer than a thousand.
  for (const int most : {3, 100}) {
    check_all(
        {comm, {most, comm.size, false}, types_to_send_two_numbers(), types_of_two_numbers()});
    check_all({comm, {most, comm.size, true}, types_to_send_two_numbers(), types_of_two_numbers()});
  }
}

}  // namespace
