// What a rank does for the communication library beside what it does in shared memory: while it
// waits, and for what other ranks have sent by the library.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/node/progress.hpp"
#include "algorithms/node/traffic.hpp"

namespace leadline::node {

class Service {
 public:
  // In shared memory, zero at first: counted up whenever a rank begins something and has sent
  // messages before.
  struct alignas(128) Told {
    std::atomic<unsigned> epoch;
  };

  // A rank that `yields_soon` gives its core to others while it waits.
  Service(std::unique_ptr<Progress> progress, bool yields_soon);

  bool yields_soon() const { return yields_soon_; }

  // This rank begins something that all ranks take part in.
  void begin(Told& told) {
    if (const unsigned epoch = Traffic::epoch(); epoch != told_) tell(told, epoch);
  }
  // Ends it: what others sent before they began has been received when this returns. Returns the
  // first error of the calls by which this rank made progress; 0: none.
  int finish(const Told& told) {
    if (told.epoch.load(std::memory_order_relaxed) != heard_) [[unlikely]] {
      hear(told);
    }
    return std::exchange(error_, 0);
  }

  void make_progress() { keep_first(progress_->make()); }

  // What a rank does that has polled so often in vain. What ranks who are all there hand each other
  // arrives in so few polls that it does nothing first; from then on, the library is served after
  // each, as in its own waits.
  void pass_time(int polls) {
    if (polls < kPollsAlone) {
      pause();
    } else {
      serve_others(polls);
    }
  }

  // Waits until `arrived()`.
  template <typename Arrived>
  void wait(const Arrived& arrived) {
    for (int polls = 0; !arrived(); ++polls) pass_time(polls);
  }

 private:
  static constexpr int kPollsAlone = 16;

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  void keep_first(int error) {
    if (error_ == 0) error_ = error;
  }
  void serve_others(int polls);
  void give_core_away();
  void tell(Told& told, unsigned epoch);
  void hear(const Told& told);
  std::uint64_t time_progress();

  std::unique_ptr<Progress> progress_;
  bool yields_soon_;
  int wanted_ = 0;      // above 0: others want this core, as of the last yields
  unsigned told_ = 0;   // the last epoch of this process's traffic that others know of
  unsigned heard_ = 0;  // the last of all ranks that this one has heard of
  std::uint64_t idle_progress_ = UINT64_MAX;  // ticks of the library when it finds nothing to do
  int error_ = 0;
};

}  // namespace leadline::node
