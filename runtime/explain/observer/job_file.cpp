#include "runtime/explain/observer/job_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>
#include <vector>

#include "algorithms/node/file_size_limit.hpp"
#include "runtime/explain/observer/digest.hpp"
#include "runtime/explain/observer/job_text.hpp"
#include "runtime/explain/observer/observer.hpp"

extern "C" unsigned long long leadline_explain_start_ticks;

namespace leadline::explain {
namespace {

// It is written each time the run is so much older, with these limits, and at most so often that it
// takes a small part of the time.
constexpr double kGrows = 0.25;
constexpr double kLeastSeconds = 1;
constexpr double kMostSeconds = 600;
constexpr u64 kTimesWriting = 1000;
constexpr u64 kNever = ~u64{0};
// So many rows of all ranks are brought to the first one, which keeps of them what fits.
constexpr int kRowsOfAll = 1024;

// In the page of the node's header, behind what a recording has there.
constexpr u64 kTurnOffset = 2048;
static_assert(sizeof(Header) <= kTurnOffset && kTurnOffset + sizeof(u64) <= kPage);

// Of the job that this process is in. It outlives what a program's end destroys.
struct JobFile {
  std::string folder;
  NodeFile node_file;
  std::string head;                // of its text
  std::string days[3];             // year, month and day, in UTC
  std::string name;                // in the folder of its day
  bool is_here = false;            // this rank's node is the one that writes it
  std::vector<std::byte> brought;  // of the ranks on other nodes
};
JobFile& job_file = *new JobFile;

bool is_on_one_node() { return observer.here == observer.ranks; }

// When it is to be written next, for all ranks of the node.
std::atomic_ref<u64> turn() {
  return std::atomic_ref(*reinterpret_cast<u64*>(job_file.node_file.bytes + kTurnOffset));
}

u64 ticks_of(double seconds) {
  return static_cast<u64>(seconds / observer.block->seconds_per_tick);
}

std::size_t most_rows() {
  return static_cast<std::size_t>(std::clamp(kRowsOfAll / observer.ranks, 1, 256));
}

// Of the ranks of this node that have begun.
std::vector<Digest> digests_here() {
  std::vector<Digest> found;
  for (int index = 0; index < observer.here; ++index) {
    const u32 rank =
        std::atomic_ref(job_file.node_file.block(index).rank).load(std::memory_order_acquire);
    if (rank != kNoRank) found.push_back(digest_of(job_file.node_file, index, most_rows()));
  }
  return found;
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

// A folder that is held open.
class Folder {
 public:
  explicit Folder(int opened) : opened_(opened) {}
  ~Folder() {
    if (opened_ >= 0) close(opened_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  int get() const { return opened_; }
  struct stat status() const {
    struct stat found{};
    if (fstat(opened_, &found) != 0) found.st_uid = static_cast<uid_t>(-1);
    return found;
  }
  // Goes down into one of its folders, which is the site's as this one is.
  bool enter(const std::string& below) {
    constexpr int kHow = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const uid_t owner = status().st_uid;
    // The folder of a user's own. In one for all, what a user makes is not the site's.
    if (owner == geteuid()) mkdirat(opened_, below.c_str(), S_IRWXU | S_IRWXG | S_IRWXO);
    Folder found(openat(opened_, below.c_str(), kHow));
    if (found.get() < 0 || found.status().st_uid != owner) return false;
    std::swap(opened_, found.opened_);
    return true;
  }

 private:
  int opened_;
};

bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return false;
    at += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  return true;
}

// Under another name first, so that readers never see a part. Where anything fails, nothing is
// left, and nothing is said: the program's user can do nothing about it.
void write_file(const std::string& text) {
  Folder into(open(job_file.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (into.get() < 0) return;
  if (into.enter(job_file.days[0]) && into.enter(job_file.days[1])) into.enter(job_file.days[2]);
  // The group of a folder that hands on its own one is the site's.
  const bool has_group = (into.status().st_mode & S_ISGID) != 0;
  const mode_t mode = S_IRUSR | S_IWUSR | (has_group ? S_IRGRP : 0U);
  const std::string aside = "." + job_file.name + "." + std::to_string(gettid());
  constexpr int kHow = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int file = openat(into.get(), aside.c_str(), kHow, S_IRUSR | S_IWUSR);
  if (file < 0) return;
  const node::ErrorPastFileSizeLimit no_signal;
  const bool written = write_all(file, text) && fchmod(file, mode) == 0;
  close(file);
  if (!written || renameat(into.get(), aside.c_str(), into.get(), job_file.name.c_str()) != 0) {
    unlinkat(into.get(), aside.c_str(), 0);
  }
}

void write_now() {
  const int error = errno;
  std::string text;
  try {
    std::vector<Digest> digests = digests_here();
    for (Digest& each : read_digests(job_file.brought)) digests.push_back(std::move(each));
    text = job_text(job_file.head, digests);
  } catch (const std::bad_alloc&) {
    // The program has all the memory that it may have: that is no reason to end it.
    text.clear();
  }
  if (!text.empty()) write_file(text);
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

void open_job_file(const char* jobs, const NodeFile& node_file, Job& job) {
  // The program may change its folder.
  char* const whole = realpath(jobs, nullptr);
  job_file.folder = whole != nullptr ? whole : jobs;
  std::free(whole);
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
  job_file.days[0] = written("%Y");
  job_file.days[1] = written("%m");
  job_file.days[2] = written("%d");
  const Header& header = node_file.header();
  const auto [number, step] = job_number();
  job_file.name = written("%H%M%S") + "-" + plain(number);
  if (!step.empty()) job_file.name += "." + plain(step);
  job_file.name +=
      "-" + plain(header.host) + "-" + std::to_string(told & ((u64{1} << kPidBits) - 1)) + ".job";
}

void begin_job_file() {
  if (!job_file.is_here) return;
  u64 none = 0;
  observer.write_at = leadline_explain_start_ticks + ticks_of(kLeastSeconds);
  turn().compare_exchange_strong(none, observer.write_at);
}

void write_job_file_in_between() {
  u64 due = turn().load();
  const u64 now = ticks();
  observer.write_at = due;
  if (now < due) return;
  const auto age = static_cast<double>(now - leadline_explain_start_ticks);
  const u64 wait =
      std::clamp(static_cast<u64>(kGrows * age), ticks_of(kLeastSeconds), ticks_of(kMostSeconds));
  if (turn().compare_exchange_strong(due, now + wait)) {
    write_now();
    turn().store(now + std::max(wait, kTimesWriting * (ticks() - now)));
  }
  observer.write_at = turn().load();
}

void bring_job_together(Job& job) {
  std::vector<std::byte> own;
  if (observer.index == 0 && !job_file.is_here) {
    for (const Digest& each : digests_here()) append(own, each);
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
  if (knows_all && turn().exchange(kNever) != kNever) write_now();
}

}  // namespace leadline::explain
