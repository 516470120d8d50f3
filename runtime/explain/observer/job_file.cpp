#include "runtime/explain/observer/job_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <new>
#include <string>
#include <vector>

#include "runtime/explain/observer/digest.hpp"
#include "runtime/explain/observer/job_folder.hpp"
#include "runtime/explain/observer/job_head.hpp"
#include "runtime/explain/observer/job_text.hpp"
#include "runtime/explain/observer/observer.hpp"
#include "runtime/explain/observer/watcher.hpp"

extern "C" unsigned long long leadline_explain_start_ticks;

namespace leadline::explain {
namespace {

// It is written each time the run is so much older, with these limits, and at most so often that it
// takes a small part of the time.
constexpr double kGrows = 0.25;
constexpr double kLeastSeconds = 1;
constexpr double kMostSeconds = 600;
constexpr u64 kTimesWriting = 1000;
constexpr u64 kNever = NodeFile::kNever;

// Of the job that this process is in. It outlives what a program's end destroys.
struct JobFile {
  NodeFile node_file;
  JobPlace place;
  std::string head;                // of its text
  bool is_here = false;            // this rank's node is the one that writes it
  std::vector<std::byte> brought;  // of the ranks on other nodes
};
JobFile& job_file = *new JobFile;

bool is_on_one_node() { return observer.here == observer.ranks; }

u64 ticks_of(double seconds) {
  return static_cast<u64>(seconds / observer.block->seconds_per_tick);
}

// As a part of a file's name.
std::string plain(const std::string& text) {
  constexpr std::size_t kMost = 32;
  std::string found = text.substr(0, kMost);
  const auto is_plain = [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z');
  };
  std::replace_if(found.begin(), found.end(), [&](char each) { return !is_plain(each); }, '_');
  return found;
}

void write_now() {
  const int error = errno;
  std::string text;
  try {
    std::vector<Digest> digests = digests_of(job_file.node_file);
    for (Digest& each : read_digests(job_file.brought)) digests.push_back(std::move(each));
    text = job_text(job_file.head, job_file.node_file, digests);
  } catch (const std::bad_alloc&) {
    // The program has all the memory that it may have: that is no reason to end it.
    text.clear();
  }
  if (!text.empty()) write_beside(job_file.place, job_file.place.name + ".job", text);
  errno = error;
}

// Whether all ranks of this node have called the API's end, or ended without it.
bool all_are_through() {
  // Of two that end at once one has to see the other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (int index = 0; index < observer.here; ++index) {
    Block& block = job_file.node_file.block(index);
    const u32 state = std::atomic_ref(block.state).load();
    const bool is_at_work = state <= static_cast<u32>(State::kRunning);
    if (is_at_work && std::atomic_ref(block.last_ticks).load() == 0) return false;
  }
  return true;
}

}  // namespace

void open_job_file(const char* jobs, const NodeFile& node_file, int memory, Job& job) {
  job_file.place.folder = whole_path(jobs);
  job_file.node_file = node_file;
  job_file.is_here = observer.node == observer.node_of[0];
  constexpr unsigned kPidBits = 22;  // Linux has no more
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  constexpr u64 kThousand = 1000;
  constexpr u64 kMillion = 1000000;
  const u64 milliseconds =
      static_cast<u64>(now.tv_sec) * kThousand + static_cast<u64>(now.tv_nsec) / kMillion;
  const u64 told = job.gather(milliseconds << kPidBits | static_cast<u64>(getpid()))[0];
  const double began = static_cast<double>(told >> kPidBits) / kThousand;
  const auto second = static_cast<std::time_t>(began);
  const std::string library = job.library();
  job_file.head = job_head(began, library.substr(0, library.find_first_of("\r\n")));
  std::tm when{};
  gmtime_r(&second, &when);
  const auto written = [&](const char* format) {
    char text[16] = "";
    std::strftime(text, sizeof text, format, &when);
    return std::string(text);
  };
  job_file.place.days[0] = written("%Y");
  job_file.place.days[1] = written("%m");
  job_file.place.days[2] = written("%d");
  const Header& header = node_file.header();
  const auto [number, step] = job_number();
  job_file.place.number = std::to_string(told);
  std::string& name = job_file.place.name;
  name = written("%H%M%S") + "-" + plain(number);
  if (!step.empty()) name += "." + plain(step);
  name += "-" + plain(header.host) + "-" + std::to_string(told & ((u64{1} << kPidBits) - 1));
  start_watcher(memory, job_file.place, job_file.head);
}

void begin_job_file() {
  if (!job_file.is_here) return;
  u64 none = 0;
  observer.write_at = leadline_explain_start_ticks + ticks_of(kLeastSeconds);
  job_file.node_file.turn().compare_exchange_strong(none, observer.write_at);
}

void write_job_file_in_between() {
  u64 due = job_file.node_file.turn().load();
  const u64 now = ticks();
  observer.write_at = due;
  if (now < due) return;
  const auto age = static_cast<double>(now - leadline_explain_start_ticks);
  const u64 wait =
      std::clamp(static_cast<u64>(kGrows * age), ticks_of(kLeastSeconds), ticks_of(kMostSeconds));
  if (job_file.node_file.turn().compare_exchange_strong(due, now + wait)) {
    write_now();
    job_file.node_file.turn().store(now + std::max(wait, kTimesWriting * (ticks() - now)));
  }
  observer.write_at = job_file.node_file.turn().load();
}

void bring_job_together(Job& job) {
  std::vector<std::byte> own;
  if (observer.index == 0 && !job_file.is_here) {
    for (const Digest& each : digests_of(job_file.node_file)) append(own, each);
  }
  const std::vector<u64> sizes = job.gather(own.size());
  for (std::size_t from = 0; from < sizes.size(); ++from) {
    const std::size_t before = job_file.brought.size();
    if (observer.rank == 0) job_file.brought.resize(before + sizes[from]);
    std::byte* const bytes = observer.rank == 0 ? job_file.brought.data() + before : own.data();
    for (u64 at = 0; at < sizes[from]; at += Job::kMostBrought) {
      job.bring(static_cast<int>(from), bytes + at, std::min(Job::kMostBrought, sizes[from] - at));
    }
  }
}

void write_job_file_at_end(State state) {
  observer.write_at = kNever;
  if (!job_file.is_here) return;
  if (state != State::kFinalized) return write_now();
  // The first one that knows of all: a launcher may kill those that are still on their way out.
  const bool knows_all = is_on_one_node() ? all_are_through() : observer.rank == 0;
  if (knows_all && job_file.node_file.turn().exchange(kNever) != kNever) write_now();
}

}  // namespace leadline::explain
