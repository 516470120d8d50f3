// Every registered broadcast, gather, scatter, allgather and alltoall: which block of which rank
// arrives where. Expected results are put together on each rank by itself.
#include <doctest/doctest.h>
#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "collectives.hpp"
#include "communicator.hpp"
#include "memory.hpp"

namespace {

// The two sides of one call on one rank: nullptr where they mean nothing.
struct Side {
  void* data;
  int count;
  MPI_Datatype type;
};

// Each kind says how many blocks a rank sends and receives, and which of a sender's blocks reaches
// a rank. `in_place_block` is the block of its own results that a rank sends with MPI_IN_PLACE.
template <typename Of>
struct OfMovements {
  using Collective = Of;
  static constexpr bool rooted = false;
  static constexpr bool in_place = true;
  static int sent(int, int, int size) { return size; }
  static int received(int, int, int size) { return size; }
  static bool may_be_in_place(int, int) { return true; }
  static int sent_block(int) { return 0; }
  static int in_place_block(int, int sender) { return sender; }
  static int call(typename Of::Function* function, Side in, Side out, int root, MPI_Comm comm) {
    if constexpr (requires { function(in.data, 0, in.type, out.data, 0, out.type, root, comm); }) {
      return function(in.data, in.count, in.type, out.data, out.count, out.type, root, comm);
    } else {
      return function(in.data, in.count, in.type, out.data, out.count, out.type, comm);
    }
  }
};

struct OfGather : OfMovements<leadline::coll::Gather> {
  static constexpr auto* library = PMPI_Gather;
  static constexpr bool rooted = true;
  static int sent(int, int, int) { return 1; }
  static int received(int rank, int root, int size) { return rank == root ? size : 0; }
  static bool may_be_in_place(int rank, int root) { return rank == root; }
};

struct OfScatter : OfMovements<leadline::coll::Scatter> {
  static constexpr auto* library = PMPI_Scatter;
  static constexpr bool rooted = true;
  static constexpr bool in_place = false;  // has a test of its own
  static int sent(int rank, int root, int size) { return rank == root ? size : 0; }
  static int received(int, int, int) { return 1; }
  static bool may_be_in_place(int, int) { return false; }
  static int sent_block(int rank) { return rank; }
};

struct OfAllgather : OfMovements<leadline::coll::Allgather> {
  static constexpr auto* library = PMPI_Allgather;
  static int sent(int, int, int) { return 1; }
};

struct OfAlltoall : OfMovements<leadline::coll::Alltoall> {
  static constexpr auto* library = PMPI_Alltoall;
  static int sent_block(int rank) { return rank; }
  static int in_place_block(int rank, int) { return rank; }
};

// Broadcasts from the root's `in` to the others' `out`.
struct OfBcast : OfMovements<leadline::coll::Bcast> {
  static constexpr auto* library = PMPI_Bcast;
  static constexpr bool rooted = true;
  static constexpr bool in_place = false;
  static int sent(int rank, int root, int) { return rank == root ? 1 : 0; }
  static int received(int rank, int root, int) { return rank == root ? 0 : 1; }
  static bool may_be_in_place(int, int) { return false; }
  static int call(Collective::Function* function, Side in, Side out, int root, MPI_Comm comm) {
    const Side side = in.data != nullptr ? in : out;
    return function(side.data, side.count, side.type, root, comm);
  }
};

// A type for each rank's input, and one for its results.
struct Types {
  std::vector<Type> in;
  std::vector<Type> out;
};

struct Test {
  const Communicator& comm;
  int root;
  int count;
  bool in_place;
  const Types& types;
};

std::uint64_t in_seed(int rank) { return static_cast<std::uint64_t>(rank) + 1; }
std::uint64_t out_seed(int rank) { return static_cast<std::uint64_t>(rank) + 1001; }

template <typename Kind>
Area input_of(const Test& test, int rank) {
  return {test.types.in[rank], test.count, Kind::sent(rank, test.root, test.comm.size),
          in_seed(rank)};
}

template <typename Kind>
Area results_of(const Test& test, int rank) {
  return {test.types.out[rank], test.count, Kind::received(rank, test.root, test.comm.size),
          out_seed(rank)};
}

template <typename Kind>
bool is_in_place(const Test& test, int rank) {
  return test.in_place && Kind::may_be_in_place(rank, test.root);
}

template <typename Kind>
Area expected_results(const Test& test) {
  Area expected = results_of<Kind>(test, test.comm.rank);
  int block = 0;
  for (int sender = 0; sender < test.comm.size; ++sender) {
    if (Kind::sent(sender, test.root, test.comm.size) == 0) continue;
    if (block == Kind::received(test.comm.rank, test.root, test.comm.size)) break;
    if (is_in_place<Kind>(test, sender)) {
      Area from = results_of<Kind>(test, sender);
      copy_block(from, Kind::in_place_block(test.comm.rank, sender), expected, block++);
    } else {
      Area from = input_of<Kind>(test, sender);
      copy_block(from, Kind::sent_block(test.comm.rank), expected, block++);
    }
  }
  return expected;
}

template <typename Kind>
void check(const Test& test, const Area& expected, typename Kind::Collective::Function* function) {
  const int rank = test.comm.rank;
  Area in = input_of<Kind>(test, rank);
  Area out = results_of<Kind>(test, rank);
  const bool sends = Kind::sent(rank, test.root, test.comm.size) > 0;
  const bool receives = Kind::received(rank, test.root, test.comm.size) > 0;
  Side from{sends ? in.address() : nullptr, in.count(), in.type()};
  // What means nothing may be nonsense.
  if (!sends || is_in_place<Kind>(test, rank)) from = {from.data, -1, MPI_DATATYPE_NULL};
  if (is_in_place<Kind>(test, rank)) from.data = MPI_IN_PLACE;
  Side to{receives ? out.address() : nullptr, out.count(), out.type()};
  if (!receives) to = {nullptr, -1, MPI_DATATYPE_NULL};
  CHECK(Kind::call(function, from, to, test.root, test.comm.handle) == MPI_SUCCESS);
  CHECK((out == expected));
  CHECK((in == input_of<Kind>(test, rank)));
}

template <typename Kind>
void check_all(const Test& test) {
  const Area expected = expected_results<Kind>(test);
  for (const auto& [name, algorithm] :
       leadline::coll::Algorithm<typename Kind::Collective>::all()) {
    CAPTURE(std::string(name));
    check<Kind>(test, expected, algorithm->function);
  }
}

template <typename Kind>
void check_roots(const Communicator& comm, int count, bool in_place, const Types& types) {
  for (int root = 0; root < (Kind::rooted ? comm.size : 1); ++root) {
    CAPTURE(root);
    CAPTURE(count);
    CAPTURE(in_place);
    CAPTURE(types.in[comm.rank].name);
    CAPTURE(types.out[comm.rank].name);
    check_all<Kind>({comm, root, count, in_place, types});
  }
}

// The same type on all ranks.
Types same(const Type& type, int size) {
  const std::vector<Type> types(static_cast<std::size_t>(size), type);
  return {types, types};
}

// Another on each.
Types different(int variant, int size) {
  const auto& to_send = types_to_send_two_numbers();
  const auto& both = types_of_two_numbers();
  Types types;
  for (int rank = 0; rank < size; ++rank) {
    types.in.push_back(to_send[static_cast<std::size_t>(variant + rank) % to_send.size()]);
    types.out.push_back(both[static_cast<std::size_t>(variant + 3 * rank) % both.size()]);
  }
  return types;
}

constexpr Type kByte{"MPI_BYTE", MPI_BYTE, 1};

TEST_CASE_TEMPLATE("counts from none to many, from every root", Kind, OfBcast, OfGather, OfScatter,
                   OfAllgather, OfAlltoall) {
  for (const auto& comm : communicators()) {
    for (const int count : {0, 1, comm->size - 1, comm->size, comm->size + 1, 1003}) {
      check_roots<Kind>(*comm, count, false, same(kByte, comm->size));
      if (Kind::in_place) check_roots<Kind>(*comm, count, true, same(kByte, comm->size));
    }
  }
}

TEST_CASE_TEMPLATE("the library agrees on what is expected", Kind, OfBcast, OfGather, OfScatter,
                   OfAllgather, OfAlltoall) {
  const Communicator comm;
  const Types types = same({"MPI_INT", MPI_INT, 1}, comm.size);
  const Test test{comm, comm.size / 2, comm.size + 1, false, types};
  check<Kind>(test, expected_results<Kind>(test), Kind::library);
}

TEST_CASE_TEMPLATE("predefined datatypes", Kind, OfBcast, OfGather, OfScatter, OfAllgather,
                   OfAlltoall) {
  const Communicator comm;
  int root = 0;
  for (const Type& type : predefined_types()) {
    CAPTURE(type.name);
    const Types types = same(type, comm.size);
    check_all<Kind>({comm, root, 11, false, types});
    root = (root + 1) % comm.size;
  }
}

TEST_CASE_TEMPLATE("derived datatypes, another on each rank, whose gaps are left alone", Kind,
                   OfBcast, OfGather, OfScatter, OfAllgather, OfAlltoall) {
  for (const auto& comm : communicators()) {
    const int variants = static_cast<int>(types_to_send_two_numbers().size());
    for (int variant = 0; variant < variants; ++variant) {
      const Types types = different(variant, comm->size);
      const int count = variant % 3 == 0 ? 1 : comm->size + variant;
      check_roots<Kind>(*comm, count, variant % 2 == 0, types);
    }
  }
}

TEST_CASE("long broadcasts, which are cut into segments") {
  const Communicator comm;
  for (const int count : {20'000, 100'003}) {
    const Types types = same(kByte, comm.size);
    check_all<OfBcast>({comm, comm.size - 1, count, false, types});
  }
  const Types types = different(1, comm.size);
  check_all<OfBcast>({comm, 0, 900, false, types});
}

TEST_CASE("a scatter may leave the root's block where it is") {
  const Communicator comm;
  for (const auto& [name, algorithm] : leadline::coll::ScatterAlgorithm::all()) {
    CAPTURE(std::string(name));
    for (int root = 0; root < comm.size; ++root) {
      const Types types = different(root, comm.size);
      const Test test{comm, root, 3, false, types};
      if (comm.rank != root) {
        check<OfScatter>(test, expected_results<OfScatter>(test), algorithm->function);
        continue;
      }
      Area in = input_of<OfScatter>(test, root);
      CHECK(algorithm->function(in.address(), in.count(), in.type(), MPI_IN_PLACE, -1,
                                MPI_DATATYPE_NULL, root, comm.handle) == MPI_SUCCESS);
      CHECK((in == input_of<OfScatter>(test, root)));
    }
  }
}

}  // namespace
