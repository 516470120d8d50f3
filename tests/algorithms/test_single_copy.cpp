// Data that ranks read straight from one another's memory, and what happens where that is refused:
// a filter of system calls, as containers have one, is put on a thread of one rank.
#include <doctest/doctest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/node/settings.hpp"
#include "algorithms/node/single_copy.hpp"
#include "collectives.hpp"
#include "communicator.hpp"

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#endif

namespace {

using namespace leadline::coll;
using namespace leadline::node;

#if defined(__linux__)
// For the calling thread, until it ends.
bool refuse_single_copy() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = sizeof code / sizeof code[0], .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
#else
bool refuse_single_copy() { return false; }
#endif

std::vector<std::int32_t> contents(int round, int from, int to, std::size_t count) {
  std::vector<std::int32_t> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    all[i] = (round * 31 + from) * 37 + to + static_cast<std::int32_t>(i) * 101;
  }
  return all;
}

void append(std::vector<std::int32_t>& all, const std::vector<std::int32_t>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Of 40 KB, and so often that each way of handing them over is tried.
constexpr int kCount = 10'000;
constexpr int kRounds = 90;

int wrong_rounds(const Communicator& comm) {
  const auto* bcast = Algorithm<Bcast>::find("shared");
  const auto* allgather = Algorithm<Allgather>::find("shared");
  const auto* alltoall = Algorithm<Alltoall>::find("shared");
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    // Each root tries for itself.
    const int root = round < kRounds - 10 ? 0 : round % comm.size;
    std::vector<std::int32_t> data = contents(round, comm.rank, 0, kCount);
    bcast->function(data.data(), kCount, MPI_INT32_T, root, comm.handle);
    wrong += data == contents(round, root, 0, kCount) ? 0 : 1;

    std::vector<std::int32_t> sent;
    std::vector<std::int32_t> gathered;
    std::vector<std::int32_t> received;
    for (int rank = 0; rank < comm.size; ++rank) {
      append(sent, contents(round, comm.rank, rank, kCount));
      append(gathered, contents(round, rank, 0, kCount));
      append(received, contents(round, rank, comm.rank, kCount));
    }
    std::vector<std::int32_t> out(sent.size());
    allgather->function(contents(round, comm.rank, 0, kCount).data(), kCount, MPI_INT32_T,
                        out.data(), kCount, MPI_INT32_T, comm.handle);
    wrong += out == gathered ? 0 : 1;
    const bool in_place = round % 2 == 0;
    if (in_place) out = sent;
    alltoall->function(in_place ? MPI_IN_PLACE : sent.data(), kCount, MPI_INT32_T, out.data(),
                       kCount, MPI_INT32_T, comm.handle);
    wrong += out == received ? 0 : 1;
  }
  return wrong;
}

TEST_CASE("shared: a process is read only if it is the one that was introduced") {
  Introduction self = introduce_this_process();
  CHECK(self.process == getpid());
  std::uint64_t word = 0;
  if (!read_memory_of(self.process, self.address, &word, sizeof word)) return;  // forbidden here
  CHECK(can_read_memory_of(self));
  CHECK(word == self.word);
  ++self.word;
  CHECK(!can_read_memory_of(self));
  CHECK(!read_memory_of(self.process, 8, &word, sizeof word));
  CHECK(!read_memory_of(-1, self.address, &word, sizeof word));
}

TEST_CASE("shared: much data in every way") {
  const Communicator comm;
  if (comm.size > 5) return;
  CHECK(wrong_rounds(comm) == 0);
}

TEST_CASE("shared: much data where the kernel refuses single copies, from the start or later") {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  const Communicator world;
  if (provided < MPI_THREAD_MULTIPLE || world.size > 5) return;
  // Between what then counts as nodes, the library itself would be refused.
  if (settings().ranks_per_node != 0) return;
  for (const bool later : {false, true}) {
    const Communicator comm;
    int wrong = later ? wrong_rounds(comm) : 0;
    bool refused = true;
    std::thread thread([&] {
      if (comm.rank == comm.size - 1) {
        refused = refuse_single_copy();
        std::uint64_t word = 0;
        const Introduction self = introduce_this_process();
        refused = refused && !read_memory_of(self.process, self.address, &word, sizeof word);
      }
      wrong += wrong_rounds(comm);
    });
    thread.join();
    CHECK(refused);
    CHECK(wrong == 0);
  }
}

}  // namespace
