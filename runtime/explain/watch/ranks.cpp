#include "runtime/explain/watch/ranks.hpp"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "runtime/explain/observer/kind.hpp"
#include "runtime/shared/ticks.hpp"

namespace leadline::explain {
namespace {

// Outside its calls a rank with less of a core sleeps.
constexpr double kBusy = 0.1;
// Between two tests in vain it has its own code: one that wants a core for more than this of the
// time without being in MPI computes.
constexpr double kComputes = 0.6;

bool is_idle(std::uint8_t kind) { return kind == kTest || kind == kOther; }

template <typename Word>
Word read(Word& word) {
  return std::atomic_ref(word).load(std::memory_order_acquire);
}

}  // namespace

double now_s() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Calls calls_made(const NodeFile& file, Block& block) {
  Calls found{.tests = 0, .others = read(block.lost_rows)};
  auto* const rows = reinterpret_cast<Row*>(reinterpret_cast<std::byte*>(&block) + kRowsOffset);
  const u32 used = std::min(read(block.rows_used), kRows);
  for (u32 row = 0; row < used; ++row) {
    const u32 function = rows[row].function;
    const bool idles =
        function < file.header().functions && is_idle(file.functions()[function].kind);
    (idles ? found.tests : found.others) += read(rows[row].calls);
  }
  return found;
}

void Ranks::find_new() {
  for (u32 index = 0; index < file_.header().ranks_here; ++index) {
    Block& block = file_.block(static_cast<int>(index));
    if (known_.contains(index) || read(block.rank) == kNoRank) continue;
    // One that has left at once may be why the others are killed.
    const u32 state = read(block.state);
    if (state > static_cast<u32>(State::kRunning) && state != static_cast<u32>(State::kExited)) {
      continue;
    }
    known_.insert(index);
    running_.emplace(index, Process(static_cast<pid_t>(block.pid)));
  }
}

bool Ranks::have_all_begun() const {
  for (u32 index = 0; index < file_.header().ranks_here; ++index) {
    if (read(file_.block(static_cast<int>(index)).rank) == kNoRank) return false;
  }
  return true;
}

bool Ranks::is_any_at_work() const {
  return std::any_of(running_.begin(), running_.end(), [&](const auto& each) {
    return read(file_.block(each.first).state) <= static_cast<u32>(State::kRunning);
  });
}

bool Ranks::has_aborted() const {
  for (u32 index = 0; index < file_.header().ranks_here; ++index) {
    if (read(file_.block(static_cast<int>(index)).state) == static_cast<u32>(State::kAborted)) {
      return true;
    }
  }
  return false;
}

bool Ranks::have_all_ended() const {
  return std::all_of(running_.begin(), running_.end(),
                     [](const auto& each) { return each.second.has_ended(); });
}

void Ranks::wait(double seconds, const Process& other) {
  find_new();
  std::vector<pollfd> ends;
  for (const auto& [index, process] : running_) {
    if (process.descriptor() >= 0) ends.push_back({process.descriptor(), POLLIN, 0});
  }
  if (running_.empty() && other.descriptor() >= 0) ends.push_back({other.descriptor(), POLLIN, 0});
  constexpr double kUnwatched = 1;
  const bool sees_all = ends.size() == std::max(running_.size(), std::size_t{1});
  const double longest = sees_all ? seconds : std::min(seconds, kUnwatched);
  poll(ends.data(), ends.size(), static_cast<int>(std::ceil(longest * 1e3)));
}

std::vector<Death> Ranks::take_deaths() {
  std::vector<Death> found;
  std::erase_if(running_, [&](const auto& each) {
    const auto& [index, process] = each;
    if (!process.has_ended()) return false;
    Block& block = file_.block(index);
    const bool is_silent = read(block.state) <= static_cast<u32>(State::kRunning);
    const bool has_left = read(block.state) == static_cast<u32>(State::kExited);
    if (read(block.last_ticks) != 0 || (!is_silent && !has_left)) return true;
    if (is_silent) {
      block.end_ticks = runtime::ticks();
      std::atomic_ref(block.state).store(static_cast<u32>(State::kGone));
    }
    found.push_back(
        {.index = index, .pid = process.pid(), .status = process.status(), .has_left = has_left});
    return true;
  });
  return found;
}

bool Ranks::are_all_ending() const {
  return std::all_of(running_.begin(), running_.end(),
                     [](const auto& each) { return is_ending(each.second.pid()); });
}

bool Ranks::is_any_leaving() const {
  return std::any_of(running_.begin(), running_.end(), [](const auto& each) {
    return is_leaving(each.second.pid()) || each.second.has_ended();
  });
}

std::vector<pid_t> Ranks::pids() const {
  std::vector<pid_t> found;
  for (const auto& [index, process] : running_) found.push_back(process.pid());
  return found;
}

Ranks::Seen Ranks::see(int index, pid_t pid) const {
  Block& block = file_.block(index);
  const FunctionName* const functions = file_.functions();
  const u32 known = file_.header().functions;
  Seen seen{.when = now_s(),
            .state = read(block.state),
            .calls = calls_made(file_, block),
            .function = read(block.current.function),
            .since = read(block.current.since_ticks),
            .mpi_s = static_cast<double>(read(block.mpi_ticks)) * block.seconds_per_tick,
            .work = work_of(pid)};
  if (seen.function < known && is_idle(functions[seen.function].kind)) {
    seen.function = 0;
    seen.since = 0;
  }
  return seen;
}

bool Ranks::moves(const Seen& before, const Seen& now) const {
  const bool tests = now.calls.tests != before.calls.tests;
  if (now.state != before.state || now.calls.others != before.calls.others) return true;
  if (now.state > static_cast<u32>(State::kRunning)) return false;
  // Between two tests it is in its own code again and again.
  if (now.function != before.function || (!tests && now.since != before.since)) return true;
  if (before.work.state == 0 || now.work.state == 0) return true;
  const double lasted = std::max(now.when - before.when, 1e-3);
  const double busy = (now.work.ran_s - before.work.ran_s) / lasted;
  const double first = (now.work.first_ran_s - before.work.first_ran_s) / lasted;
  // Somebody looks at it with a debugger, or other threads work.
  if (now.work.state == 't' || busy - first >= kBusy) return true;
  if (tests) {
    // On a crowded host it may have little of a core.
    const double wanted = (now.work.first_wanted_s - before.work.first_wanted_s) / lasted;
    return wanted - (now.mpi_s - before.mpi_s) / lasted >= kComputes;
  }
  const bool is_in_files = now.function != 0 && now.function < file_.header().functions &&
                           file_.functions()[now.function].kind == kFile;
  if (is_in_files) return now.work.files != before.work.files;
  if (now.function != 0) return false;
  return busy >= kBusy || now.work.state == 'R' || now.work.files != before.work.files;
}

bool Ranks::has_moved() {
  bool moved = seen_.empty();
  for (const auto& [index, process] : running_) {
    const Seen now = see(index, process.pid());
    const auto before = seen_.find(index);
    moved |= before == seen_.end() || moves(before->second, now);
    seen_.insert_or_assign(index, now);
    if (moved && seen_.size() >= running_.size()) return true;
  }
  return moved;
}

bool Ranks::are_all_stopped() const {
  return std::all_of(running_.begin(), running_.end(), [&](const auto& each) {
    const auto seen = seen_.find(each.first);
    return seen != seen_.end() && seen->second.work.state == 'T';
  });
}

}  // namespace leadline::explain
