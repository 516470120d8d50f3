// Simulated ranks: threads of one process, each with a clock of its own that runs only when the
// rank does something. Tests and the fake probe run on it, without MPI and without time passing.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "harness/world.hpp"

namespace leadline::probe {

struct ThreadWorldSettings {
  int ranks = 1;
  int nodes = 1;
  double latency = 1e-6;        // of a message, seconds
  double bandwidth = 1e10;      // bytes per second
  double clock_reading = 2e-8;  // what reading the clock costs
  // Error of node n's clock: n times these.
  double clock_offset = 0.0;
  double clock_drift = 0.0;
  // The way to a higher rank takes this much longer than the way back, in parts of the latency.
  double asymmetry = 0.0;
  // Measured as a machine of SimGrid's is.
  bool simulated = false;
  // In this share of the launches a slow spell begins after so many seconds and does not end:
  // everything between cores takes so many times as long.
  double spell_share = 0.0;
  double spell_times = 1.0;
  double spell_after = 0.0;
};

class ThreadWorld : public World {
 public:
  // What the ranks share.
  class Fabric;

  ThreadWorld(std::shared_ptr<Fabric> fabric, int rank);

  void send(const void* data, std::size_t bytes, int to) override;
  void receive(void* data, std::size_t bytes, int from) override;
  void exchange(const void* out, std::size_t out_bytes, int to, void* in, std::size_t in_bytes,
                int from) override;
  int leader(int node) const override;
  int member(int index) const override;
  double now() const override;
  bool clock_shared() const override { return true; }
  bool simulated() const override;
  std::optional<double> slowness(std::uint64_t seed) const override;
  double wait_until(double time) const override;
  const char* clock_source() const override { return "simulated"; }
  KernelClock kernel_clock() const override;
  Counters counters() const override { return counters_; }
  double waited() const override { return waited_; }
  double stolen() const override { return 0.0; }
  RankPlace place() const override;
  std::string library() const override { return "leadline's simulated ranks"; }
  std::string standard() const override { return "none"; }
  [[noreturn]] void abort(int status) override;

  // The same bytes without time: the data of a simulated operation, whose time is drawn.
  void send_untimed(const void* data, std::size_t bytes, int to);
  // This rank works for so long.
  void advance(double seconds) { time_ += seconds; }
  // As if the operating system had taken the core away for so long.
  void preempt(double seconds) {
    ++counters_.involuntary_switches;
    waited_ += seconds;
    advance(seconds);
  }
  // The time that all clocks should show.
  double true_time() const { return time_; }

 private:
  std::shared_ptr<Fabric> fabric_;
  mutable double time_ = 0.0;
  Counters counters_;
  double waited_ = 0.0;
};

// Runs `body` on every simulated rank and waits for all. The first exception of a rank is thrown.
void run_threads(const ThreadWorldSettings& settings,
                 const std::function<void(ThreadWorld&)>& body);

}  // namespace leadline::probe
