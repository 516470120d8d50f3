// Where MPI begins and ends: MPI_Init, MPI_Finalize, MPI_Abort.
#include "runtime/explain/observer/life.hpp"

#include "runtime/explain/observer/mpi/read.hpp"
#include "runtime/shared/mpi_abi.hpp"

namespace leadline::explain {

const char kApi[] = "MPI";

namespace {

class JobOfMpi final : public Job {
 public:
  JobOfMpi() { PMPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~JobOfMpi() override { PMPI_Comm_free(&comm_); }

  std::string library() const override { return runtime::said_by_library(); }

  int rank() const override {
    int rank = 0;
    PMPI_Comm_rank(comm_, &rank);
    return rank;
  }

  int ranks() const override {
    int ranks = 0;
    PMPI_Comm_size(comm_, &ranks);
    return ranks;
  }

  bool several_threads() const override {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
  }

  // The rank of its first one.
  u64 node() override {
    int first = rank();
    MPI_Comm node = MPI_COMM_NULL;
    PMPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, first, MPI_INFO_NULL, &node);
    PMPI_Bcast(&first, 1, MPI_INT, 0, node);
    PMPI_Comm_free(&node);
    return static_cast<u64>(first);
  }

  void barrier() override { PMPI_Barrier(comm_); }

  std::vector<u64> gather(u64 own) override {
    std::vector<u64> all(static_cast<std::size_t>(ranks()));
    PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm_);
    return all;
  }

  void bring(int from, std::byte* bytes, u64 size) override {
    const int count = static_cast<int>(size);
    if (rank() == from) PMPI_Send(bytes, count, MPI_BYTE, 0, 0, comm_);
    if (rank() == 0) PMPI_Recv(bytes, count, MPI_BYTE, from, 0, comm_, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

bool begin() {
  int is_there = 0;
  if (PMPI_Initialized(&is_there) != MPI_SUCCESS || is_there == 0) return false;
  if (runtime::has_other_abi()) {
    refuse_to_observe((runtime::has_standard_abi() ? "MPI's standard ABI of " : "") +
                      runtime::said_by_library());
    return false;
  }
  JobOfMpi job;
  if (!begin_observing(job, kPairBytes)) return false;
  prepare_messages();
  Communicator* const world = communicator(MPI_COMM_WORLD);
  if (world != nullptr) {
    agree(*world, MPI_COMM_WORLD);
    world->number = 0;
  }
  return true;
}

}  // namespace

template <typename Arguments>
Word started(Entry& entry, Word* words, const void* site) {
  if (!is_to_begin() || thread.depth != 0) return pass_on(entry, words);
  if (!runtime::has_other_abi()) claim();
  const u64 begun = ticks();
  ++thread.depth;
  const Word result = pass_on(entry, words);
  const u64 ended = ticks();
  const bool observes = begin();
  --thread.depth;
  if (!observes) return result;
  Call call(entry, kSetUp, site);
  call.was(begun, ended);
  call.comm = communicator(MPI_COMM_WORLD);
  call.account({});
  return result;
}
LEADLINE_EXPLAIN_ENTRIES(started)

template <typename Arguments>
Word ended(Entry& entry, Word* words, const void* site) {
  if (!observing()) return pass_on(entry, words);
  Word result = 0;
  {
    Call call(entry, kSetUp, site);
    observer.block->last_ticks = call.begun();
    Communicator* const world = communicator(MPI_COMM_WORLD);
    call.comm = world;
    if (world != nullptr) {
      retain(*world);
      call.comm_call = arrive(*world, call.begun());
    }
    call.show();
    if (must_meet()) {
      JobOfMpi job;
      meet_at_end(job);
    }
    forget_world();
    result = call.run(words);
    Waited waiting;
    if (world != nullptr && world->agreed) call.shape = kAll;
    if (world != nullptr) waiting = waited(*world, kAll, -1, call.comm_call, call);
    call.account(waiting);
    release(world);
  }
  end_observing(State::kFinalized);
  return result;
}
LEADLINE_EXPLAIN_ENTRIES(ended)

template <typename Arguments>
Word aborted(Entry& entry, Word* words, const void* site) {
  if (!observing()) return pass_on(entry, words);
  Call call(entry, kSetUp, site);
  call.show();
  end_observing(State::kAborted);
  return pass_on(entry, words);
}
LEADLINE_EXPLAIN_ENTRIES(aborted)

}  // namespace leadline::explain
