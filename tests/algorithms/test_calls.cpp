// Which messages the algorithms send, and that the errors of MPI reach the caller.
#include <doctest/doctest.h>
#include <mpi.h>

#include <bit>
#include <string>
#include <vector>

#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/barrier/barrier.hpp"
#include "calls.hpp"
#include "communicator.hpp"

namespace {

using leadline::AllreduceAlgorithm;
using leadline::BarrierAlgorithm;

void keep_second(void*, void*, int*, MPI_Datatype*) {}

Calls calls_of_allreduce(const char* name, MPI_Op op, int count) {
  const Communicator comm;
  const std::vector<int> in(static_cast<std::size_t>(count), 1);
  std::vector<int> out(in.size());
  reset_calls();
  CHECK(AllreduceAlgorithm::find(name)->function(in.data(), out.data(), count, MPI_INT, op,
                                                 comm.handle) == MPI_SUCCESS);
  return calls();
}

// Of recursive doubling on this rank: an exchange for each dimension of the hypercube, and a
// message each way in the pairs that stand for one corner.
Calls hypercube_calls() {
  const Communicator comm;
  const int corners = static_cast<int>(std::bit_floor(static_cast<unsigned>(comm.size)));
  const bool paired = comm.rank < 2 * (comm.size - corners);
  const bool waits = paired && comm.rank % 2 == 0;
  const int dimensions = std::bit_width(static_cast<unsigned>(corners)) - 1;
  return {.sendrecv = waits ? 0 : dimensions, .send = paired ? 1 : 0, .receive = paired ? 1 : 0};
}

TEST_CASE("hypercube exchanges once for each dimension") {
  CHECK((calls_of_allreduce("hypercube", MPI_SUM, 5) == hypercube_calls()));
}

TEST_CASE("hypercube on eight ranks sends three messages a rank") {
  const Communicator comm;
  if (comm.size == 8) {
    CHECK((calls_of_allreduce("hypercube", MPI_SUM, 5) == Calls{.sendrecv = 3}));
  }
}

TEST_CASE("ring exchanges with its neighbours twice around") {
  const Communicator comm;
  const Calls expected{.sendrecv = 2 * (comm.size - 1)};
  CHECK((calls_of_allreduce("ring", MPI_SUM, 100) == expected));
  CHECK((calls_of_allreduce("ring", MPI_SUM, 1) == expected));
}

TEST_CASE("ring leaves operations that are not commutative to the hypercube") {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(keep_second, 0, &op);
  CHECK((calls_of_allreduce("ring", op, 5) == hypercube_calls()));
  MPI_Op_free(&op);
}

TEST_CASE("nothing to reduce sends nothing") {
  for (const auto& [name, algorithm] : AllreduceAlgorithm::all()) {
    CHECK((calls_of_allreduce(std::string(name).c_str(), MPI_SUM, 0) == Calls{}));
  }
}

TEST_CASE("dissemination takes the logarithm of the ranks, rounded up") {
  const Communicator comm;
  reset_calls();
  CHECK(BarrierAlgorithm::find("dissemination")->function(comm.handle) == MPI_SUCCESS);
  const int steps = std::bit_width(static_cast<unsigned>(comm.size - 1));
  CHECK((calls() == Calls{.sendrecv = steps}));
}

TEST_CASE("an error of a message is returned") {
  const Communicator comm;
  const int expected = comm.size == 1 ? MPI_SUCCESS : MPI_ERR_OTHER;
  fail_calls_with(MPI_ERR_OTHER);
  const int in = 1;
  int out = 0;
  for (const auto& [name, algorithm] : AllreduceAlgorithm::all()) {
    CAPTURE(std::string(name));
    CHECK(algorithm->function(&in, &out, 1, MPI_INT, MPI_SUM, comm.handle) == expected);
  }
  for (const auto& [name, algorithm] : BarrierAlgorithm::all()) {
    CAPTURE(std::string(name));
    CHECK(algorithm->function(comm.handle) == expected);
  }
  fail_calls_with(MPI_SUCCESS);
}

TEST_CASE("an error of an argument is returned") {
  const Communicator comm;
  const int in = 1;
  int out = 0;
  for (const auto& [name, algorithm] : AllreduceAlgorithm::all()) {
    CAPTURE(std::string(name));
    CHECK(algorithm->function(&in, &out, 1, MPI_DATATYPE_NULL, MPI_SUM, comm.handle) !=
          MPI_SUCCESS);
    CHECK(algorithm->function(&in, &out, 1, MPI_INT, MPI_OP_NULL, comm.handle) != MPI_SUCCESS);
    CHECK(algorithm->function(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL) != MPI_SUCCESS);
  }
  for (const auto& [name, algorithm] : BarrierAlgorithm::all()) {
    CHECK(algorithm->function(MPI_COMM_NULL) != MPI_SUCCESS);
  }
}

TEST_CASE("an unknown name finds nothing") {
  CHECK(AllreduceAlgorithm::find("no such algorithm") == nullptr);
  CHECK(AllreduceAlgorithm::find("hypercube") != nullptr);
}

}  // namespace
