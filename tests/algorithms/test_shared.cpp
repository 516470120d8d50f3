// The engine in shared memory: calls that follow one another without a barrier, communicators that
// come and go, threads, and messages under way. What each call delivers is tested with all other
// algorithms, and calls of every kind that follow one another in tests/races.
#include <dirent.h>
#include <doctest/doctest.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "collectives.hpp"
#include "communicator.hpp"

namespace {

using namespace leadline::coll;

template <typename Collective>
typename Collective::Function* shared() {
  return Algorithm<Collective>::find("shared")->function;
}

// What a rank has for another one in one round, or for all; in 32 bits so that sums are exact.
std::int64_t content(int round, int from, int to, int i) {
  return ((round * 31 + from) * 37 + to) * 1000003LL + i;
}

using Numbers = std::vector<std::int64_t>;

Numbers contents(int round, int from, int to, int count) {
  Numbers all;
  for (int i = 0; i < count; ++i) all.push_back(content(round, from, to, i));
  return all;
}

Numbers sum_of_contents(int round, int ranks, int count) {
  Numbers sum(static_cast<std::size_t>(count), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < count; ++i) {
      sum[static_cast<std::size_t>(i)] += content(round, rank, 0, i);
    }
  }
  return sum;
}

// One round of a collective, which returns whether all that it delivered is right.
class Rounds {
 public:
  explicit Rounds(const Communicator& comm) : comm_(comm) {}

  bool allreduce(int round, int count, bool in_place) {
    Numbers in = contents(round, comm_.rank, 0, count);
    Numbers out = in_place ? in : Numbers(in.size());
    shared<Allreduce>()(in_place ? MPI_IN_PLACE : in.data(), out.data(), count, MPI_INT64_T,
                        MPI_SUM, comm_.handle);
    return out == sum_of_contents(round, comm_.size, count);
  }
  bool reduce(int round, int count, int root, bool in_place) {
    const bool here = comm_.rank == root;
    Numbers in = contents(round, comm_.rank, 0, count);
    Numbers out = in;
    shared<Reduce>()(here && in_place ? MPI_IN_PLACE : in.data(), here ? out.data() : nullptr,
                     count, MPI_INT64_T, MPI_SUM, root, comm_.handle);
    return !here || out == sum_of_contents(round, comm_.size, count);
  }
  // With the collective `Prefix`, the sum over so many ranks.
  template <typename Prefix>
  bool prefix(int round, int count, int ranks, bool in_place) {
    Numbers in = contents(round, comm_.rank, 0, count);
    Numbers out = in_place ? in : Numbers(in.size());
    const Numbers before = out;
    shared<Prefix>()(in_place ? MPI_IN_PLACE : in.data(), out.data(), count, MPI_INT64_T, MPI_SUM,
                     comm_.handle);
    return out == (ranks == 0 ? before : sum_of_contents(round, ranks, count));
  }
  bool bcast(int round, int count, int root) {
    Numbers data = contents(round, comm_.rank, 0, count);
    shared<Bcast>()(data.data(), count, MPI_INT64_T, root, comm_.handle);
    return data == contents(round, root, 0, count);
  }
  bool scatter(int round, int count, int root, bool in_place) {
    const bool here = comm_.rank == root;
    const Numbers in = blocks(count, [&](int rank) { return Ends{root, rank}; }, round);
    const Numbers expected = contents(round, root, comm_.rank, count);
    Numbers out(expected.size());
    const bool stays = here && in_place;
    shared<Scatter>()(here ? in.data() : nullptr, count, MPI_INT64_T,
                      stays ? MPI_IN_PLACE : out.data(), count, MPI_INT64_T, root, comm_.handle);
    return stays || out == expected;
  }
  bool alltoall(int round, int count, bool in_place) {
    const Numbers in = blocks(count, [&](int rank) { return Ends{comm_.rank, rank}; }, round);
    const Numbers expected = blocks(count, [&](int rank) { return Ends{rank, comm_.rank}; }, round);
    Numbers out = in;
    shared<Alltoall>()(in_place ? MPI_IN_PLACE : in.data(), count, MPI_INT64_T, out.data(), count,
                       MPI_INT64_T, comm_.handle);
    return out == expected;
  }
  bool reduce_scatter_block(int round, int count, bool in_place) {
    const Numbers in = blocks(count, [&](int rank) { return Ends{comm_.rank, rank}; }, round);
    Numbers expected(static_cast<std::size_t>(count), 0);
    for (int rank = 0; rank < comm_.size; ++rank) {
      for (int i = 0; i < count; ++i) {
        expected[static_cast<std::size_t>(i)] += content(round, rank, comm_.rank, i);
      }
    }
    Numbers out = in;
    shared<ReduceScatterBlock>()(in_place ? MPI_IN_PLACE : in.data(), out.data(), count,
                                 MPI_INT64_T, MPI_SUM, comm_.handle);
    out.resize(expected.size());
    return out == expected;
  }

 private:
  using Ends = std::pair<int, int>;
  // One for each rank: `ends(rank)` is from whom and to whom.
  template <typename EndsOf>
  Numbers blocks(int count, const EndsOf& ends, int round) const {
    Numbers all;
    for (int rank = 0; rank < comm_.size; ++rank) {
      const auto [from, to] = ends(rank);
      for (int i = 0; i < count; ++i) all.push_back(content(round, from, to, i));
    }
    return all;
  }
  const Communicator& comm_;
};

// Most fit into a cell, some into a slot, few take several slots.
int draw_count(std::mt19937& random) {
  const unsigned kind = random() % 8;
  const unsigned most = kind == 0 ? 12'000 : kind < 3 ? 600 : 20;
  return static_cast<int>(random() % (most + 1));
}

TEST_CASE("shared: calls of all kinds and sizes follow one another") {
  const Communicator comm;
  Rounds rounds(comm);
  std::mt19937 random(42);  // the same on all ranks
  std::mt19937 delays(static_cast<unsigned>(comm.rank));
  int wrong = 0;
  for (int round = 0; round < 300; ++round) {
    const int root = static_cast<int>(random() % static_cast<unsigned>(comm.size));
    const bool in_place = random() % 2 == 0;
    const int count = draw_count(random);
    for (unsigned i = delays() % 4 == 0 ? delays() % 8 : 0; i > 0; --i) sched_yield();
    const std::function<bool()> kinds[] = {
        [&] { return rounds.allreduce(round, count, in_place); },
        [&] { return rounds.reduce(round, count, root, in_place); },
        [&] { return rounds.bcast(round, count, root); },
        [&] { return rounds.alltoall(round, count, in_place); },
        [&] { return rounds.reduce_scatter_block(round, count, in_place); },
        [&] { return rounds.prefix<Scan>(round, count, comm.rank + 1, in_place); },
        [&] { return rounds.prefix<Exscan>(round, count, comm.rank, in_place); },
        [&] { return rounds.scatter(round, count, root, in_place); },
        [&] { return shared<Barrier>()(comm.handle) == MPI_SUCCESS; }};
    wrong += kinds[random() % std::size(kinds)]() ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("shared: one root sends many times before the others look") {
  const Communicator comm;
  Rounds rounds(comm);
  int wrong = 0;
  for (int round = 0; round < 200; ++round) {
    if (comm.rank == 1) sched_yield();
    wrong += rounds.bcast(round, round % 50 == 0 ? 20'000 : round % 7, 0) ? 0 : 1;
    if (round % 20 == 19) wrong += rounds.reduce(round, 3, 0, false) ? 0 : 1;
    wrong += rounds.scatter(round, round % 60 == 0 ? 20'000 : round % 5, 0, false) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("shared: who cannot describe the data leaves all to the library on all ranks") {
  const Communicator comm;
  if (comm.size == 1) return;
  int out = 0;
  for (int root = 0; root < comm.size; ++root) {
    CHECK(shared<Gatherv>()(&root, 1, MPI_INT, &out, nullptr, nullptr, MPI_INT, root,
                            comm.handle) == kLeftToLibrary);
    CHECK(shared<Scatterv>()(&root, nullptr, nullptr, MPI_INT, &out, 1, MPI_INT, root,
                             comm.handle) == kLeftToLibrary);
    // Whatever the others could have sent, nothing has arrived.
    const std::vector<int> counts(static_cast<std::size_t>(comm.size), 1);
    const std::vector<int> offsets(counts.size());
    const bool cannot = comm.rank == root;
    CHECK(shared<Alltoallv>()(&root, cannot ? nullptr : counts.data(), offsets.data(), MPI_INT,
                              &out, counts.data(), offsets.data(), MPI_INT,
                              comm.handle) == kLeftToLibrary);
    CHECK(out == 0);
  }
  CHECK(Rounds(comm).allreduce(1, 5, false));
}

TEST_CASE("shared: more data than there is room for are an error there, and nowhere a hang") {
  const Communicator comm;
  const bool nodes_apart = std::getenv("LEADLINE_RANKS_PER_NODE") != nullptr;
  if (comm.size == 1 || nodes_apart) return;
  for (const int count : {1, 200, 30'000}) {
    const auto room = static_cast<std::size_t>(count) + 1;
    std::vector<int> in(room * static_cast<std::size_t>(comm.size));
    std::vector<int> out(in.size());
    std::vector<int> counts(static_cast<std::size_t>(comm.size), count);
    std::vector<int> offsets(counts.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<int>(i) * count;
    const bool last = comm.rank == comm.size - 1;
    CHECK(shared<Gatherv>()(in.data(), count + (last ? 1 : 0), MPI_INT, out.data(), counts.data(),
                            offsets.data(), MPI_INT, 0,
                            comm.handle) == (comm.rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    CHECK(shared<Scatterv>()(in.data(), counts.data(), offsets.data(), MPI_INT, out.data(),
                             count - (last ? 1 : 0), MPI_INT, 0,
                             comm.handle) == (last ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    std::vector<int> sent = counts;
    sent.front() += last ? 1 : 0;
    CHECK(shared<Alltoallv>()(in.data(), sent.data(), offsets.data(), MPI_INT, out.data(),
                              counts.data(), offsets.data(), MPI_INT,
                              comm.handle) == (comm.rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
  }
  CHECK(Rounds(comm).allreduce(1, 5, false));
}

TEST_CASE("shared: ranks may describe the same data by different datatypes") {
  const Communicator comm;
  constexpr int kPairs = 700;
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  MPI_Type_vector(kPairs, 2, 3, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  const int root = comm.size - 1;
  std::vector<int> data(3 * kPairs, -1);
  if (comm.rank == root) {
    for (int i = 0; i < 2 * kPairs; ++i) data[static_cast<std::size_t>(i)] = i;
    CHECK(shared<Bcast>()(data.data(), 2 * kPairs, MPI_INT, root, comm.handle) == MPI_SUCCESS);
  } else {
    CHECK(shared<Bcast>()(data.data(), 1, strided, root, comm.handle) == MPI_SUCCESS);
    int wrong = 0;
    for (int i = 0; i < kPairs; ++i) {
      const auto* found = &data[3 * static_cast<std::size_t>(i)];
      wrong += found[0] == 2 * i && found[1] == 2 * i + 1 && found[2] == -1 ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
  MPI_Type_free(&strided);
}

// Mappings and names of the engine's memory, and open files.
int count_mappings() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) {
    const bool nameless = line.find("/memfd:leadline") != std::string::npos;
    found += nameless || line.find("/dev/shm/leadline-") != std::string::npos ? 1 : 0;
  }
  return found;
}

int count_entries(const char* folder, const std::string& start) {
  int found = 0;
  DIR* const all = opendir(folder);
  if (all == nullptr) return 0;
  while (const dirent* entry = readdir(all)) {
    found += std::string(entry->d_name).rfind(start, 0) == 0 ? 1 : 0;
  }
  closedir(all);
  return found;
}

TEST_CASE("shared: communicators that are freed leave nothing behind") {
  const Communicator world;
  const int mappings = count_mappings();
  const int files = count_entries("/proc/self/fd", "");
  int most = 0;
  int wrong = 0;
  for (int i = 0; i < 60; ++i) {
    const Communicator comm;
    Rounds rounds(comm);
    wrong += rounds.allreduce(i, 5, false) ? 0 : 1;
    // Otherwise there would be nothing that could be left.
    most = std::max(most, count_mappings());
  }
  CHECK(wrong == 0);
  if (world.size > 1) CHECK(most == mappings + 1);
  PMPI_Barrier(world.handle);
  CHECK(count_mappings() == mappings);
  // MPI may have opened files of its own, but not one for each communicator.
  CHECK(count_entries("/proc/self/fd", "") < files + 30);
  CHECK(count_entries("/dev/shm", "leadline-" + std::to_string(getpid())) == 0);
}

TEST_CASE("shared: many communicators live at once, and new ones take the handles of old ones") {
  int wrong = 0;
  for (int time = 0; time < 2; ++time) {
    const Communicator first;
    const Communicator second;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(first.handle, first.rank % 2, -first.rank, &half);
    const int evens = (first.size + 1) / 2;
    const int members = first.rank % 2 == 0 ? evens : first.size - evens;
    std::vector<Communicator> others(12);
    for (int i = 0; i < 24; ++i) {
      int one = 1;
      int sum = 0;
      shared<Allreduce>()(&one, &sum, 1, MPI_INT, MPI_SUM, half);
      wrong += sum == members ? 0 : 1;
      Rounds rounds(i % 2 == 0 ? second : others[static_cast<std::size_t>(i / 2)]);
      wrong += rounds.allreduce(i, i * 100, false) ? 0 : 1;
    }
    MPI_Comm_free(&half);
  }
  CHECK(wrong == 0);
}

TEST_CASE("shared: two threads on communicators of their own") {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) return;
  const Communicator comms[2];
  int wrong[2] = {0, 0};
  const auto work = [&](int thread) {
    Rounds rounds(comms[thread]);
    for (int round = 0; round < 40; ++round) {
      wrong[thread] += rounds.allreduce(round, round * 40, round % 2 == 0) ? 0 : 1;
      wrong[thread] += rounds.bcast(round, 3 + thread, round % comms[thread].size) ? 0 : 1;
    }
  };
  std::thread second(work, 1);
  work(0);
  second.join();
  CHECK(wrong[0] == 0);
  CHECK(wrong[1] == 0);
}

TEST_CASE("shared: a rank that waits lets its messages go out") {
  const Communicator comm;
  const Communicator messages;
  if (comm.size < 2) return;
  constexpr int kBytes = 4 << 20;
  std::vector<char> data(kBytes, static_cast<char>(comm.rank));
  MPI_Request request = MPI_REQUEST_NULL;
  if (comm.rank == 0) {
    MPI_Isend(data.data(), kBytes, MPI_CHAR, 1, 0, messages.handle, &request);
  } else if (comm.rank == 1) {
    MPI_Recv(data.data(), kBytes, MPI_CHAR, 0, 0, messages.handle, MPI_STATUS_IGNORE);
    CHECK(data.back() == 0);
  }
  CHECK(shared<Barrier>()(comm.handle) == MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

TEST_CASE("shared: slots of the last of very many communicators are short") {
  const Communicator world;
  // Takes long where ranks share cores.
  if (world.size > 3) return;
  std::vector<Communicator> many(70);
  int wrong = 0;
  for (const Communicator& comm : many) wrong += Rounds(comm).allreduce(1, 5, false) ? 0 : 1;
  Rounds last(many.back());
  for (int round = 0; round < 20; ++round) {
    wrong += last.allreduce(round, 5000, round % 2 == 0) ? 0 : 1;
    wrong += last.alltoall(round, 3000, round % 2 == 0) ? 0 : 1;
    wrong += last.reduce_scatter_block(round, 3000, round % 2 == 0) ? 0 : 1;
    wrong += last.prefix<Scan>(round, 3000, many.back().rank + 1, round % 2 == 0) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

// Kept until MPI_Finalize, which must cope with it.
TEST_CASE("shared: the world itself") { CHECK(shared<Barrier>()(MPI_COMM_WORLD) == MPI_SUCCESS); }

}  // namespace
