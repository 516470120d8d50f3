// What the recorder writes down, against counts that are derived from the methods' descriptions.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "listed.hpp"

namespace leadline::replay {
namespace {

int ceil_log2(int size) { return std::bit_width(static_cast<unsigned>(size - 1)); }

// Messages of a pair and tag, in order, by their bytes.
using Channel = std::tuple<int, int, int>;
using Channels = std::map<Channel, std::vector<std::uint32_t>>;

struct Ends {
  Channels sent;
  Channels received;
};

Ends ends_of(const Schedule& schedule) {
  Ends ends;
  for (int rank = 0; rank < static_cast<int>(schedule.size()); ++rank) {
    for (const Step& step : schedule[static_cast<std::size_t>(rank)]) {
      for (std::uint32_t i = 0; i < step.times; ++i) {
        if (step.to != kNoRank) ends.sent[{rank, step.to, step.out_tag}].push_back(step.out_bytes);
        if (step.from != kNoRank) {
          ends.received[{step.from, rank, step.in_tag}].push_back(step.in_bytes);
        }
      }
    }
  }
  return ends;
}

Outcome outcome(const std::string& benchmark, const std::string& algorithm, int size,
                std::size_t bytes) {
  return replay(listed(benchmark, algorithm, size, bytes), simple_machine(size));
}

}  // namespace

TEST_CASE("every message has its receive, of as many bytes, for any number of ranks") {
  int algorithms = 0;
  for (const auto& [benchmark, collective] : Listed::collectives()) {
    for (const Named& algorithm : collective.algorithms) {
      ++algorithms;
      for (int size = 1; size <= 33; ++size) {
        for (const int root : {0, size - 1}) {
          for (const std::size_t bytes :
               {std::size_t{8}, std::size_t{1000}, std::size_t{1} << 18}) {
            INFO(benchmark, " ", algorithm.name, " ", size, " ranks ", bytes, " bytes");
            const Schedule schedule = listed(benchmark, algorithm.name, size, bytes, root);
            const Ends ends = ends_of(schedule);
            CHECK(ends.sent == ends.received);
            Machine blocking = simple_machine(size, 2);
            blocking.rendezvous_bytes = 0;
            CHECK_NOTHROW(replay(schedule, blocking));
          }
        }
      }
    }
  }
  CHECK(algorithms >= 20);
}

TEST_CASE("algorithms that need shared memory have no list") {
  for (const auto& [benchmark, collective] : Listed::collectives()) {
    for (const Named& algorithm : collective.algorithms) CHECK(algorithm.name != "shared");
  }
}

TEST_CASE("messages and steps are those of the methods") {
  for (const int size : {2, 4, 8, 16, 32, 64}) {
    const auto ranks = static_cast<std::uint64_t>(size);
    const auto steps = static_cast<std::uint32_t>(ceil_log2(size));
    INFO(size, " ranks");
    const Outcome doubling = outcome("mpi/allreduce", "recursive_doubling", size, 64);
    CHECK(doubling.messages == ranks * steps);
    CHECK(doubling.bytes == ranks * steps * 64);
    CHECK(doubling.steps == steps);
    const Outcome rabenseifner = outcome("mpi/allreduce", "rabenseifner", size, 8192);
    CHECK(rabenseifner.messages == 2 * ranks * steps);
    CHECK(rabenseifner.bytes == 2 * (ranks - 1) * 8192);
    CHECK(rabenseifner.steps == 2 * steps);
    const Outcome binomial = outcome("mpi/bcast", "binomial", size, 64);
    CHECK(binomial.messages == ranks - 1);
    CHECK(binomial.steps == steps);
    CHECK(binomial.most_sent == steps);
    const Outcome gathered = outcome("mpi/allgather", "recursive_doubling", size, 64);
    CHECK(gathered.bytes == ranks * (ranks - 1) * 64);
    CHECK(gathered.steps == steps);
  }
  for (int size = 2; size <= 33; ++size) {
    const auto ranks = static_cast<std::uint64_t>(size);
    const auto steps = static_cast<std::uint32_t>(ceil_log2(size));
    INFO(size, " ranks");
    for (const char* benchmark : {"mpi/allgather", "mpi/allreduce"}) {
      const bool reduces = std::string(benchmark) == "mpi/allreduce";
      const Outcome ring = outcome(benchmark, "ring", size, reduces ? 8 * ranks : 64);
      CHECK(ring.messages == (reduces ? 2 : 1) * ranks * (ranks - 1));
      CHECK(ring.steps == (reduces ? 2 : 1) * (ranks - 1));
    }
    CHECK(outcome("mpi/barrier", "dissemination", size, 0).messages == ranks * steps);
    CHECK(outcome("mpi/barrier", "dissemination", size, 0).steps == steps);
    // To the base of 4, a rank is as far from the root as its number has digits other than 0.
    unsigned farthest = 0;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      unsigned digits = 0;
      for (unsigned rest = rank; rest > 0; rest /= 4) digits += rest % 4 != 0;
      farthest = std::max(farthest, digits);
    }
    CHECK(outcome("mpi/bcast", "knomial", size, 64).messages == ranks - 1);
    CHECK(outcome("mpi/bcast", "knomial", size, 64).steps == farthest);
    CHECK(outcome("mpi/barrier", "tree", size, 0).messages == 2 * (ranks - 1));
    CHECK(outcome("mpi/reduce", "binomial", size, 64).messages == ranks - 1);
    CHECK(outcome("mpi/alltoall", "pairwise", size, 64).messages == ranks * (ranks - 1));
    CHECK(outcome("mpi/alltoall", "linear", size, 64).steps == 1);
    CHECK(outcome("mpi/alltoall", "bruck", size, 64).messages == ranks * steps);
    // A block travels once for each bit of its distance.
    std::uint64_t bits = 0;
    for (unsigned distance = 1; distance < ranks; ++distance) {
      bits += static_cast<unsigned>(std::popcount(distance));
    }
    CHECK(outcome("mpi/alltoall", "bruck", size, 64).bytes == ranks * bits * 64);
  }
}

TEST_CASE("work between messages is written down") {
  // Each of four ranks reduces all of its data twice.
  for (const Program& program : listed("mpi/allreduce", "recursive_doubling", 4, 800)) {
    std::uint64_t reduced = 0;
    for (const Step& step : program) reduced += step.times * step.reduced;
    CHECK(reduced == 1600);
  }
  // A ring copies the rank's own block once.
  for (const Program& program : listed("mpi/allgather", "ring", 4, 800)) {
    std::uint64_t copied = 0;
    for (const Step& step : program) copied += step.times * step.copied;
    CHECK(copied == 800);
  }
}

TEST_CASE("equal steps in a row are one entry") {
  for (const Program& program : listed("mpi/allgather", "ring", 1000, 8)) {
    CHECK(program.size() == 2);  // the copy, and 999 exchanges
    CHECK(program.back().times == 999);
  }
}

TEST_CASE("what cannot be written down is refused") {
  const auto program = [](int) {
    int request = 0;
    MPI_Irecv(nullptr, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Irecv(nullptr, 8, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  };
  CHECK_THROWS_WITH_AS(record_all(4, 100, program),
                       "a wait for 1 of 2 messages that were started cannot be written down",
                       Refused);
  const auto forgets = [](int) {
    int request = 0;
    MPI_Isend(nullptr, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
  };
  CHECK_THROWS_WITH_AS(record_all(4, 100, forgets), "a message is started that nobody waits for",
                       Refused);
  const auto long_list = [](int) {
    for (int peer = 0; peer < 50; ++peer) {
      PMPI_Send(nullptr, 8, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    }
  };
  CHECK_THROWS_AS(record_all(4, 100, long_list), Refused);
}

TEST_CASE("more messages than allowed are refused with about how many there are") {
  const auto ring = [](int rank) {
    for (int step = 0; step < 10; ++step) {
      PMPI_Sendrecv(nullptr, 8, MPI_BYTE, (rank + 1) % 8, 0, nullptr, 8, MPI_BYTE, (rank + 7) % 8,
                    0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  };
  CHECK(record_all(8, 100, ring, [](int) {}, 80).size() == 8);
  try {
    record_all(8, 100, ring, [](int) {}, 15);
    FAIL("80 messages are more than 15");
  } catch (const TooMany& refused) {
    CHECK(refused.messages == 80.0);
  }
}

}  // namespace leadline::replay
