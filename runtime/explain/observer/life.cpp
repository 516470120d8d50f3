#include "runtime/explain/observer/life.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>

#include "runtime/explain/observer/cost.hpp"
#include "runtime/explain/observer/group.hpp"
#include "runtime/explain/observer/job_file.hpp"
#include "runtime/explain/observer/kernel.hpp"
#include "runtime/explain/observer/marks.hpp"
#include "runtime/explain/observer/node_file.hpp"
#include "runtime/explain/observer/regions.hpp"
#include "runtime/explain/observer/visits.hpp"
#include "runtime/explain/observer/watcher.hpp"
#include "runtime/explain/preload/wanted.hpp"

// In the half that is preloaded.
extern "C" timespec leadline_explain_start;
extern "C" unsigned long long leadline_explain_start_ticks;
extern "C" char* leadline_explain_also;
extern "C" const char* leadline_explain_observed;
extern "C" bool leadline_explain_told;
extern "C" void leadline_explain_note(const char* why, const char* of);

namespace leadline::explain {
namespace {

// It outlives what a program's end destroys.
std::string& folder = *new std::string;
NodeFile node_file;
bool brings_together = false;  // some host has not the folder
bool tells_folder = false;     // this rank has made it
bool tried = false;
bool claimed = false;
bool keeps_job_file = false;
std::optional<u64> queued_before;

u64 nanoseconds(const timespec& time) {
  return static_cast<u64>(time.tv_sec) * 1000000000U + static_cast<u64>(time.tv_nsec);
}

void find_nodes(Job& job) {
  observer.rank = job.rank();
  observer.ranks = job.ranks();
  const std::vector<u64> names = job.gather(job.node());
  std::vector<u64> nodes;  // in the order of their first ranks
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    const auto known = std::find(nodes.begin(), nodes.end(), names[rank]);
    observer.node_of.push_back(static_cast<int>(known - nodes.begin()));
    if (known == nodes.end()) nodes.push_back(names[rank]);
  }
  observer.node = observer.node_of[static_cast<std::size_t>(observer.rank)];
  observer.index_of.assign(names.size(), -1);
  observer.here = 0;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    if (observer.node_of[rank] == observer.node) observer.index_of[rank] = observer.here++;
  }
  observer.index = observer.index_of[static_cast<std::size_t>(observer.rank)];
}

// LEADLINE_EXPLAIN=DIR/ is for many programs: each makes a folder in DIR, by time and process.
void name_own_folder(Job& job) {
  if (!folder.ends_with('/')) return;
  constexpr unsigned kPidBits = 22;  // Linux has no more
  const u64 own = static_cast<u64>(std::time(nullptr)) << kPidBits | static_cast<u64>(getpid());
  const u64 told = job.gather(own)[0];
  const auto began = static_cast<std::time_t>(told >> kPidBits);
  std::tm when{};
  char name[64] = "";
  std::strftime(name, sizeof name, "explain-%Y-%m-%dT%H%M%S-", gmtime_r(&began, &when));
  folder += name + std::to_string(told & ((u64{1} << kPidBits) - 1));
  if (observer.rank != 0) return;
  tells_folder = mkdir(folder.c_str(), S_IRWXU | S_IRWXG | S_IRWXO) == 0;
}

// Whether the first rank, which is to have all files, has the folder.
bool folder_is_there(Job& job) {
  u64 there = 1;
  if (observer.rank == 0) {
    struct stat status{};
    there = stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) ? 1 : 0;
    if (there == 0) speak("LEADLINE_EXPLAIN: " + folder + " is no folder");
  }
  return job.gather(there)[0] != 0;
}

void share_stamps(u64 pair_bytes, Job& job) {
  constexpr u64 kMost = u64{256} << 20U;
  const auto here = static_cast<u64>(observer.here);
  const u64 rings = sizeof(Ring) * kSlots * here;
  const u64 all = rings + pair_bytes * here * here;
  const bool shares = here >= 2 && all <= kMost && (!keeps_job_file || leaves_room(all));
  std::byte* const bytes = open_shared_memory(shares ? all : 0, job);
  if (bytes == nullptr) {
    if (observer.rank == 0 && shares && !keeps_job_file) {
      std::fprintf(
          stderr,
          "leadline: /dev/shm has no room for %" PRIu64 " bytes: waiting is not told apart\n", all);
    }
    return;
  }
  observer.rings = reinterpret_cast<Ring*>(bytes);
  observer.pairs = bytes + rings;
}

void fill_block() {
  Block& block = node_file.block(observer.index);
  auto* const bytes = reinterpret_cast<std::byte*>(&block);
  observer.rows = reinterpret_cast<Row*>(bytes + kRowsOffset);
  observer.sites = reinterpret_cast<Site*>(bytes + kSitesOffset);
  observer.peers = reinterpret_cast<Peer*>(bytes + kPeersOffset);
  observer.peer_count = node_file.header().peers;
  observer.awaiting = reinterpret_cast<Awaiting*>(bytes + awaiting_offset(observer.peer_count));
  observer.visits = reinterpret_cast<Visit*>(bytes + visits_offset(observer.peer_count));
  observer.visit_room = node_file.header().visits;
  observer.marks =
      reinterpret_cast<Mark*>(bytes + marks_offset(observer.peer_count, observer.visit_room));
  observer.regions =
      reinterpret_cast<Region*>(bytes + regions_offset(observer.peer_count, observer.visit_room));
  observer.threads =
      reinterpret_cast<Threads*>(bytes + threads_offset(observer.peer_count, observer.visit_room));
  observer.cost =
      reinterpret_cast<Cost*>(bytes + cost_offset(observer.peer_count, observer.visit_room));
  observer.variances = reinterpret_cast<double*>(observer.cost + 1);
  observer.block_bytes = node_file.header().block_bytes;
  observer.block = &block;
  block.pid = static_cast<u32>(getpid());
  block.start_ticks = leadline_explain_start_ticks;
  block.start_ns = nanoseconds(leadline_explain_start);
  block.seconds_per_tick = measure_tick();
  block.core = sched_getcpu();
  begin_asking_kernel();
  queued_before = read_queued();
  begin_marks();
  block.sites_used = 1;
  std::snprintf(observer.sites[0].text, sizeof observer.sites[0].text, "(no room for its name)");
  block.state = static_cast<u32>(State::kRunning);
  // A loop that polls is back sooner, also with sched_yield. What takes longer is computing.
  constexpr double kGapSeconds = 5e-7;
  observer.gap = static_cast<u64>(kGapSeconds / block.seconds_per_tick);
  begin_costs(keeps_job_file ? kGrantedToAll : kGrantedToOne);
  std::atomic_ref(block.rank).store(static_cast<u32>(observer.rank), std::memory_order_release);
}

void finish(State state) {
  Block& block = *observer.block;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  block.end_ticks = ticks();
  end_region(block.end_ticks);
  block.end_ns = nanoseconds(now);
  block.seconds_per_tick = measure_tick();
  const std::optional<u64> queued = read_queued();
  if (queued && queued_before) {
    block.queued_ns = *queued - *queued_before;
    block.queued_known = 1;
  }
  *observer.threads = ask_other_threads();
  std::atomic_ref(block.state).store(static_cast<u32>(state), std::memory_order_release);
}

// Whether all ranks have their files.
bool open_files(Job& job) {
  find_nodes(job);
  const char* const jobs = jobs_folder();
  keeps_job_file = jobs != nullptr;
  if (!keeps_job_file) {
    folder = recording_folder();
    name_own_folder(job);
    if (!folder_is_there(job)) return false;
  }
  int memory = -1;
  node_file = open_node_file(folder, job, memory);
  if (node_file.bytes == nullptr) return false;
  if (keeps_job_file) {
    open_job_file(jobs, node_file, memory, job);
  } else {
    const std::vector<u64> aside = job.gather(node_file.is_aside ? 1 : 0);
    brings_together = std::find(aside.begin(), aside.end(), 1) != aside.end();
    start_watcher(memory, {.folder = whole_path(folder)}, "");
  }
  if (memory >= 0) close(memory);
  return true;
}

// A child of fork has its parent's memory.
void leave_to_parent() { observer.active.store(false); }

__attribute__((destructor)) void program_ends() { end_observing(State::kExited); }

}  // namespace

bool is_left_to_another() {
  if (leadline_explain_observed == nullptr || claimed) return false;
  if (leadline_explain_also != nullptr && std::strcmp(leadline_explain_observed, kApi) != 0) {
    std::snprintf(leadline_explain_also, sizeof(Header::also), "%s", kApi);
  }
  return true;
}

bool is_to_begin() {
  return !tried && !is_left_to_another() &&
         (recording_folder() != nullptr || jobs_folder() != nullptr);
}

void claim() {
  claimed = true;
  leadline_explain_observed = kApi;
}

void refuse_to_observe(const std::string& library) {
  tried = true;
  leadline_explain_note("other library", library.c_str());
}

bool begin_observing(Job& job, u64 pair_bytes) {
  tried = leadline_explain_told = true;
  if (!open_files(job)) return false;
  observer.multiple = job.several_threads();
  share_stamps(pair_bytes, job);
  fill_block();
  if (keeps_job_file) begin_job_file();
  leadline_explain_also = node_file.header().also;
  thread.is_owner = true;
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  observer.active.store(true);
  meet(job);
  observer.block->first_ticks = ticks();
  return true;
}

bool must_meet() {
  return brings_together || observer.visit_room != 0 ||
         (keeps_job_file && observer.here < observer.ranks);
}

void meet_at_end(Job& job) {
  meet(job);
  if (keeps_job_file) return bring_job_together(job);
  if (!brings_together) return;
  finish(State::kFinalized);
  observer.block->current.function = 0;
  bring_together(node_file, folder, job);
}

void end_observing(State state) {
  if (!observer.active.exchange(false)) return;
  finish(state);
  if (keeps_job_file) write_job_file_at_end(state);
  if (tells_folder) std::fprintf(stderr, "leadline explain %s\n", folder.c_str());
}

}  // namespace leadline::explain
