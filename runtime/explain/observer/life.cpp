// Where observation begins and ends: MPI_Init, MPI_Finalize, MPI_Abort, and the program's own end.
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "runtime/explain/observer/node_file.hpp"
#include "runtime/explain/observer/read.hpp"

extern "C" timespec leadline_explain_start;
extern "C" unsigned long long leadline_explain_start_ticks;

namespace leadline::explain {
namespace {

std::string folder;
NodeFile node_file;
MPI_Comm node_comm = MPI_COMM_NULL;
MPI_Comm leaders = MPI_COMM_NULL;  // the first ranks of all nodes
int brings_together = 0;           // some host has not the folder
bool has_begun = false;

u64 nanoseconds(const timespec& time) {
  return static_cast<u64>(time.tv_sec) * 1000000000U + static_cast<u64>(time.tv_nsec);
}

// One rank says it, for all.
void speak(const std::string& what) {
  std::fprintf(stderr, "leadline: %s; the program goes on unobserved\n", what.c_str());
}

void find_nodes() {
  PMPI_Comm_rank(MPI_COMM_WORLD, &observer.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &observer.ranks);
  PMPI_Comm_group(MPI_COMM_WORLD, &observer.world);
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, observer.rank, MPI_INFO_NULL,
                       &node_comm);
  PMPI_Comm_rank(node_comm, &observer.index);
  PMPI_Comm_size(node_comm, &observer.here);
  PMPI_Comm_split(MPI_COMM_WORLD, observer.index == 0 ? 0 : MPI_UNDEFINED, observer.rank, &leaders);
  if (observer.index == 0) PMPI_Comm_rank(leaders, &observer.node);
  PMPI_Bcast(&observer.node, 1, MPI_INT, 0, node_comm);
  const auto ranks = static_cast<std::size_t>(observer.ranks);
  observer.node_of.resize(ranks);
  PMPI_Allgather(&observer.node, 1, MPI_INT, observer.node_of.data(), 1, MPI_INT, MPI_COMM_WORLD);
  observer.index_of.assign(ranks, -1);
  int index = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    if (observer.node_of[i] == observer.node) observer.index_of[i] = index++;
  }
}

// Whether the first rank, which is to have all files, has the folder.
bool folder_is_there() {
  int there = 1;
  if (observer.rank == 0) {
    struct stat status{};
    there = stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) ? 1 : 0;
    if (there == 0) speak("LEADLINE_EXPLAIN: " + folder + " is no folder");
  }
  PMPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return there != 0;
}

// All ranks observe, or none: they have to agree on communicators.
bool all_have_files() {
  int failing = node_file.bytes == nullptr && observer.index == 0 ? observer.rank : INT_MAX;
  const int own = failing;
  PMPI_Allreduce(MPI_IN_PLACE, &failing, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (failing == own && own != INT_MAX) speak(node_file.failure);
  return failing == INT_MAX;
}

void share_stamps() {
  constexpr u64 kMost = u64{256} << 20U;
  const auto here = static_cast<u64>(observer.here);
  const u64 rings = sizeof(Ring) * kSlots * here;
  const u64 pairs = sizeof(Pair) * here * here;
  if (here < 2 || rings + pairs > kMost) return;
  std::byte* const bytes = open_shared_memory(rings + pairs, node_comm);
  if (bytes == nullptr) {
    if (observer.rank == 0) {
      std::fprintf(stderr,
                   "leadline: /dev/shm has no room for %" PRIu64
                   " bytes: waiting is not told apart\n",
                   rings + pairs);
    }
    return;
  }
  observer.rings = reinterpret_cast<Ring*>(bytes);
  observer.pairs = reinterpret_cast<Pair*>(bytes + rings);
  prepare_messages();
}

void fill_block() {
  Block& block = node_file.block(observer.index);
  auto* const bytes = reinterpret_cast<std::byte*>(&block);
  observer.rows = reinterpret_cast<Row*>(bytes + kRowsOffset);
  observer.sites = reinterpret_cast<Site*>(bytes + kSitesOffset);
  observer.peers = reinterpret_cast<Peer*>(bytes + kPeersOffset);
  observer.peer_count = node_file.header().peers;
  observer.awaiting = reinterpret_cast<Awaiting*>(bytes + awaiting_offset(observer.peer_count));
  observer.block = &block;
  block.pid = static_cast<u32>(getpid());
  block.start_ticks = leadline_explain_start_ticks;
  block.start_ns = nanoseconds(leadline_explain_start);
  block.seconds_per_tick = measure_tick();
  block.core = sched_getcpu();
  block.sites_used = 1;
  std::snprintf(observer.sites[0].text, sizeof observer.sites[0].text, "(no room for its name)");
  block.state = static_cast<u32>(State::kRunning);
  constexpr double kGapSeconds = 2e-6;
  observer.gap = static_cast<u64>(kGapSeconds / block.seconds_per_tick);
  std::atomic_ref(block.rank).store(static_cast<u32>(observer.rank), std::memory_order_release);
}

void finish(State state) {
  Block& block = *observer.block;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  block.end_ticks = ticks();
  block.end_ns = nanoseconds(now);
  block.seconds_per_tick = measure_tick();
  std::atomic_ref(block.state).store(static_cast<u32>(state), std::memory_order_release);
}

// A child of fork has its parent's memory.
void leave_to_parent() { observer.active.store(false); }

// Collective over MPI_COMM_WORLD. Returns whether this rank observes.
bool begin_observing() {
  int is_there = 0;
  const char* const setting = std::getenv("LEADLINE_EXPLAIN");
  if (has_begun || setting == nullptr || PMPI_Initialized(&is_there) != MPI_SUCCESS ||
      is_there == 0) {
    return false;
  }
  has_begun = true;
  folder = setting;
  find_nodes();
  if (!folder_is_there()) return false;
  node_file = open_node_file(folder, node_comm);
  if (!all_have_files()) return false;
  brings_together = node_file.is_aside ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &brings_together, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  observer.multiple = level == MPI_THREAD_MULTIPLE;
  share_stamps();
  fill_block();
  thread.is_owner = true;
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  Communicator* const world = communicator(MPI_COMM_WORLD);
  if (world != nullptr) {
    agree(*world, MPI_COMM_WORLD);
    world->number = 0;
  }
  observer.active.store(true);
  return true;
}

__attribute__((destructor)) void program_ends() {
  if (observer.active.exchange(false)) finish(State::kExited);
}

}  // namespace

template <typename Arguments>
Word started(Entry& entry, Word* words, const void* site) {
  if (has_begun || thread.depth != 0) return pass_on(entry, words);
  const u64 begun = ticks();
  ++thread.depth;
  const Word result = pass_on(entry, words);
  --thread.depth;
  const u64 ended = ticks();
  if (!begin_observing()) return result;
  Call call(entry, site);
  call.was(begun, ended);
  call.comm = communicator(MPI_COMM_WORLD);
  call.account({});
  return result;
}
LEADLINE_EXPLAIN_HANDLER(started)

template <typename Arguments>
Word ended(Entry& entry, Word* words, const void* site) {
  if (!observing()) return pass_on(entry, words);
  Word result = 0;
  {
    Call call(entry, site);
    Communicator* const world = communicator(MPI_COMM_WORLD);
    call.comm = world;
    if (world != nullptr) {
      retain(*world);
      call.comm_call = arrive(*world, call.begun());
    }
    call.show();
    if (brings_together != 0) {
      finish(State::kFinalized);
      observer.block->current.function = 0;
      PMPI_Barrier(node_comm);
      if (observer.index == 0) bring_together(node_file, folder, leaders);
    }
    if (leaders != MPI_COMM_NULL) PMPI_Comm_free(&leaders);
    PMPI_Comm_free(&node_comm);
    PMPI_Group_free(&observer.world);
    result = call.run(entry, words);
    Waited waiting;
    if (world != nullptr) waiting = waited(*world, kAll, -1, call.comm_call, call);
    call.account(waiting);
    release(world);
  }
  finish(State::kFinalized);
  observer.active.store(false);
  return result;
}
LEADLINE_EXPLAIN_HANDLER(ended)

template <typename Arguments>
Word aborted(Entry& entry, Word* words, const void* site) {
  if (!observing()) return pass_on(entry, words);
  Call call(entry, site);
  call.show();
  finish(State::kAborted);
  observer.active.store(false);
  return pass_on(entry, words);
}
LEADLINE_EXPLAIN_HANDLER(aborted)

}  // namespace leadline::explain
