// Which messages the algorithms send, and that the errors of MPI reach the caller.
#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <string>

#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "calls.hpp"
#include "communicator.hpp"
#include "every_algorithm.hpp"

namespace {

void keep_second(void*, void*, int*, MPI_Datatype*) {}

Calls calls_of(const std::string& name, Arguments arguments) {
  const Communicator comm;
  arguments.comm = comm.handle;
  reset_calls();
  CHECK(algorithm_named(name).call(arguments) == MPI_SUCCESS);
  return calls();
}

// Over all ranks.
struct Total {
  double messages;
  double bytes;
};

// What an algorithm sends in all.
struct Traffic {
  const char* name;
  double messages;
  double blocks;  // of the count that the call is given
};

Total total_of(const char* name, int count) {
  const Calls mine = calls_of(name, {.count = count});
  const double sent[] = {static_cast<double>(mine.sent), mine.bytes};
  double sum[] = {0, 0};
  PMPI_Allreduce(sent, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return {sum[0], sum[1]};
}

int log2_rounded_up(int size) { return std::bit_width(static_cast<unsigned>(size - 1)); }

TEST_CASE("messages and bytes on any number of ranks") {
  const Communicator comm;
  const double p = comm.size;
  const double steps = log2_rounded_up(comm.size);
  double places_in_subtrees = 0;
  double bits_of_distances = 0;
  double doubled = 0;              // ranks that have one 2^k places on
  double doubled_but_for_one = 0;  // the same among all but one
  for (int distance = 1; distance < comm.size; distance *= 2) {
    doubled += comm.size - distance;
    doubled_but_for_one += std::max(0, comm.size - 1 - distance);
  }
  for (int place = 1; place < comm.size; ++place) {
    places_in_subtrees += std::min(place & -place, comm.size - place);
    bits_of_distances += std::popcount(static_cast<unsigned>(place));
  }
  const Traffic expected[] = {
      {"barrier/dissemination", p * steps, 0},
      {"barrier/tree", 2 * (p - 1), 0},
      {"bcast/binomial", p - 1, p - 1},
      {"bcast/knomial", p - 1, p - 1},
      {"gather/linear", p - 1, p - 1},
      {"gather/binomial", p - 1, places_in_subtrees},
      {"gatherv/linear", p - 1, p - 1},
      {"scatterv/linear", p - 1, p - 1},
      {"scatter/linear", p - 1, p - 1},
      {"scatter/binomial", p - 1, places_in_subtrees},
      {"reduce/binomial", p - 1, p - 1},
      {"allreduce/ring", 2 * p * (p - 1), 2 * (p - 1)},
      {"allreduce/reduce_bcast", 2 * (p - 1), 2 * (p - 1)},
      {"reduce_scatter_block/pairwise", p * (p - 1), p * (p - 1)},
      {"reduce_scatter/pairwise", p * (p - 1), p * (p - 1)},
      {"scan/linear", p - 1, p - 1},
      {"scan/recursive_doubling", doubled, doubled},
      {"exscan/linear", p - 1, p - 1},
      {"exscan/recursive_doubling", p - 1 + doubled_but_for_one, p - 1 + doubled_but_for_one},
      {"allgather/ring", p * (p - 1), p * (p - 1)},
      {"allgather/bruck", p * steps, p * (p - 1)},
      {"allgatherv/ring", p * (p - 1), p * (p - 1)},
      {"alltoall/pairwise", p * (p - 1), p * (p - 1)},
      {"alltoall/linear", p * (p - 1), p * (p - 1)},
      {"alltoallv/pairwise", p * (p - 1), p * (p - 1)},
      {"alltoallv/linear", p * (p - 1), p * (p - 1)},
      {"alltoall/bruck", p * steps, p * bits_of_distances},
  };
  // Divisible by most numbers of ranks.
  const int count = 840;
  for (const auto& [name, messages, blocks] : expected) {
    CAPTURE(name);
    const Total total = total_of(name, count);
    CHECK(total.messages == messages);
    CHECK(total.bytes == doctest::Approx(blocks * count * sizeof(int)));
  }
}

TEST_CASE("messages and bytes on a power of two ranks") {
  const Communicator comm;
  if (!std::has_single_bit(static_cast<unsigned>(comm.size))) return;
  const double p = comm.size;
  const double steps = log2_rounded_up(comm.size);
  const Traffic expected[] = {
      {"barrier/recursive_doubling", p * steps, 0},
      {"bcast/scatter_allgather", p - 1 + p * (p - 1), steps / 2 + p - 1},
      {"bcast/scatter_doubling", p - 1 + p * steps, steps / 2 + p - 1},
      {"reduce/rabenseifner", p * steps + p - 1, p - 1 + steps / 2},
      {"allreduce/recursive_doubling", p * steps, p * steps},
      {"allreduce/rabenseifner", 2 * p * steps, 2 * (p - 1)},
      {"reduce_scatter_block/recursive_halving", p * steps, p * (p - 1)},
      {"reduce_scatter/recursive_halving", p * steps, p * (p - 1)},
      {"allgather/recursive_doubling", p * steps, p * (p - 1)},
  };
  const int count = 840;
  for (const auto& [name, messages, blocks] : expected) {
    CAPTURE(name);
    const Total total = total_of(name, count);
    CHECK(total.messages == messages);
    CHECK(total.bytes == doctest::Approx(blocks * count * sizeof(int)));
  }
}

TEST_CASE("neighbours exchange half as often as a ring passes on, and as much") {
  const Communicator comm;
  const double p = comm.size;
  const bool even = comm.size % 2 == 0;
  const int count = 840;
  const Total total = total_of("allgather/neighbour_exchange", count);
  CHECK(total.messages == (even ? p * p / 2 : p * (p - 1)));
  CHECK(total.bytes == doctest::Approx(p * (p - 1) * count * sizeof(int)));
}

TEST_CASE("ranks beyond a power of two send once, and receive once") {
  const Communicator comm;
  const int pairs = comm.size - static_cast<int>(std::bit_floor(static_cast<unsigned>(comm.size)));
  for (const char* name :
       {"allreduce/recursive_doubling", "allreduce/rabenseifner",
        "reduce_scatter_block/recursive_halving", "reduce_scatter/recursive_halving",
        "allgather/recursive_doubling", "barrier/recursive_doubling"}) {
    CAPTURE(name);
    const Calls found = calls_of(name, {.count = 8});
    if (comm.rank < 2 * pairs && comm.rank % 2 == 0) {
      CHECK(found.exchanges == 0);
      CHECK(found.sent == 1);
      CHECK(found.received == 1);
    }
  }
}

TEST_CASE("recursive doubling on eight ranks exchanges three times a rank") {
  const Communicator comm;
  if (comm.size != 8) return;
  const Calls found = calls_of("allreduce/recursive_doubling", {.count = 5});
  CHECK(found.exchanges == 3);
  CHECK(found.sent == 3);
}

TEST_CASE("a chain sends long data in segments, one after the other") {
  const Communicator comm;
  const Calls found = calls_of("bcast/chain", {.count = 1024});
  const bool is_last = comm.rank == comm.size - 1;
  // 4096 bytes in segments of sqrt(4096 * 8192 / (P - 2)), in whole cache lines.
  constexpr int kSegments[] = {0, 0, 1, 1, 1, 2, 2, 2, 2, 2};
  CHECK(found.sent == (is_last ? 0 : kSegments[comm.size]));
  CHECK(found.received == (comm.rank == 0 ? 0 : kSegments[comm.size]));
}

TEST_CASE("ring leaves operations that are not commutative to recursive doubling") {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(keep_second, 0, &op);
  const Calls doubling = calls_of("allreduce/recursive_doubling", {.count = 5, .op = op});
  CHECK((calls_of("allreduce/ring", {.count = 5, .op = op}) == doubling));
  MPI_Op_free(&op);
}

TEST_CASE("no data send nothing") {
  for (const AnyAlgorithm& algorithm : every_algorithm()) {
    if (!algorithm.has_data) continue;
    CAPTURE(algorithm.name);
    CHECK((calls_of(algorithm.name, {.count = 0}) == Calls{}));
  }
}

TEST_CASE("an error of a message is returned") {
  const Communicator comm;
  for (const AnyAlgorithm& algorithm : every_algorithm()) {
    CAPTURE(algorithm.name);
    // Some have none, since ranks of one node need not send messages.
    reset_calls();
    CHECK(algorithm.call({.comm = comm.handle}) == MPI_SUCCESS);
    const bool sends = !(calls() == Calls{});
    int any_sends = 0;
    const int mine = sends ? 1 : 0;
    PMPI_Allreduce(&mine, &any_sends, 1, MPI_INT, MPI_MAX, comm.handle);
    if (any_sends == 0) continue;
    fail_calls_with(MPI_ERR_OTHER);
    CHECK(algorithm.call({.comm = comm.handle}) == (sends ? MPI_ERR_OTHER : MPI_SUCCESS));
    fail_calls_with(MPI_SUCCESS);
  }
}

TEST_CASE("an error of an argument is returned") {
  const Communicator comm;
  for (const AnyAlgorithm& algorithm : every_algorithm()) {
    CAPTURE(algorithm.name);
    CHECK(algorithm.call({.comm = MPI_COMM_NULL}) != MPI_SUCCESS);
    if (!algorithm.has_data) continue;
    CHECK(algorithm.call({.type = MPI_DATATYPE_NULL, .comm = comm.handle}) != MPI_SUCCESS);
    if (!algorithm.reduces) continue;
    CHECK(algorithm.call({.op = MPI_OP_NULL, .comm = comm.handle}) != MPI_SUCCESS);
  }
}

TEST_CASE("a name finds its algorithm, a former one too, an unknown one nothing") {
  using leadline::coll::AllreduceAlgorithm;
  const AllreduceAlgorithm* doubling = AllreduceAlgorithm::find("recursive_doubling");
  CHECK(AllreduceAlgorithm::find("no such algorithm") == nullptr);
  CHECK(doubling != nullptr);
  CHECK(AllreduceAlgorithm::find("hypercube") == doubling);
  CHECK(!AllreduceAlgorithm::all().contains("hypercube"));
}

}  // namespace
