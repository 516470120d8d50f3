#include "schedules/recorder/recorder.hpp"

#include <sys/mman.h>

#include <string>

namespace leadline::replay {
namespace {

Recorder* recorded = nullptr;

}  // namespace

Recorder& Recorder::current() {
  if (recorded == nullptr) throw std::logic_error("MPI is called where no rank is recorded");
  return *recorded;
}

Program Recorder::record(int rank, int size, const std::function<void()>& program) {
  Recorder recorder(rank, size);
  struct Guard {
    explicit Guard(Recorder* recorder) { recorded = recorder; }
    ~Guard() { recorded = nullptr; }
  } guard(&recorder);
  program();
  if (recorder.started_ != 0) throw Refused("a message is started that nobody waits for");
  recorder.keep_last();
  return std::move(recorder.steps_);
}

void Recorder::block(const Step& step) {
  if (step.to == kNoRank && step.from == kNoRank) return;
  append(step);
  last_.kind = Step::Kind::kBlock;
}

void Recorder::start(const Step& step) {
  ++started_;
  if (step.to == kNoRank && step.from == kNoRank) return;
  append(step);
  last_.kind = Step::Kind::kStart;
}

void Recorder::wait(int count) {
  if (count != started_) {
    throw Refused("a wait for " + std::to_string(count) + " of " + std::to_string(started_) +
                  " messages that were started cannot be written down");
  }
  started_ = 0;
  append({});
  last_.kind = Step::Kind::kWait;
}

void Recorder::append(const Step& step) {
  keep_last();
  last_ = step;
}

void Recorder::keep_last() {
  if (last_ == Step{}) return;
  if (!steps_.empty()) {
    Step& before = steps_.back();
    last_.times = before.times;
    if (before == last_) {
      ++before.times;
      last_ = {};
      return;
    }
    last_.times = 1;
  }
  steps_.push_back(last_);
  last_ = {};
}

std::byte* untouchable(Side side, std::size_t bytes) {
  constexpr std::size_t kSide = std::size_t{1} << 45U;
  static void* const range =
      mmap(nullptr, 2 * kSide, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw Refused("no addresses are left for buffers");
  if (bytes > kSide) throw Refused("a buffer is larger than 32 TiB: ask for fewer bytes");
  return static_cast<std::byte*>(range) + (side == Side::kOut ? kSide : 0);
}

Schedule record_all(int size, std::size_t most_steps, const std::function<void(int)>& program,
                    const std::function<void(int)>& done, std::uint64_t most_messages) {
  Schedule schedule(static_cast<std::size_t>(size));
  std::size_t steps = 0;
  std::uint64_t messages = 0;
  for (int rank = 0; rank < size; ++rank) {
    Program& own = schedule[static_cast<std::size_t>(rank)];
    own = Recorder::record(rank, size, [&] { program(rank); });
    own.shrink_to_fit();
    steps += own.size();
    if (steps > most_steps) {
      throw Refused("the lists of messages of " + std::to_string(size) + " ranks need more than " +
                    std::to_string(most_steps * sizeof(Step) >> 20U) +
                    " MiB: ask for fewer processes, or for an algorithm with fewer messages");
    }
    for (const Step& step : own) messages += step.to == kNoRank ? 0 : step.times;
    if (messages > most_messages) {
      throw TooMany(static_cast<double>(messages) / (rank + 1) * size);
    }
    if (rank % 64 == 0) done(rank);
  }
  return schedule;
}

}  // namespace leadline::replay
