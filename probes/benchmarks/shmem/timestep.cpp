// The time-step loop of a hydrologic code with puts alone: the values, and what says that they have
// come.
#include <shmem.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "applications/timestep/loop.hpp"
#include "benchmarks/shmem/standard.hpp"
#include "comm/shmem_world.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe {
namespace {

using timestep::Exchange;
using timestep::Halo;
using timestep::kSides;
using timestep::opposite;
using timestep::Side;

// Symmetric memory takes what comes: two slots in turn, since a neighbour is at most one exchange
// ahead, and for each side the turn whose values are there.
class PutFlag : public Exchange {
 public:
  explicit PutFlag(const Halo& halo)
      : Exchange(halo),
        out_(4 * halo.stride),
        landing_(make_symmetric<double>(2 * 4 * halo.stride)),
        flags_(make_symmetric<Flag>(4)) {}

  void call() override {
    ++turn_;
    for (const Side side : kSides) {
      if (has(side)) give(side);
    }
    announce();
    for (const Side side : kSides) {
      if (has(side)) await(&flags_.get()[side].turn);
    }
  }

 protected:
  // On a cache line of its own.
  struct alignas(64) Flag {
    std::uint64_t turn;
  };

  double* out() override { return out_.data(); }
  const double* in() const override { return slot(); }
  double* slot() const { return landing_.get() + (turn_ % 2) * 4 * halo().stride; }
  double* landing(Side side) const { return slot() + opposite(side) * halo().stride; }
  // Of the neighbour there.
  std::uint64_t* flag(Side side) { return &flags_.get()[opposite(side)].turn; }
  std::uint64_t turn() const { return turn_; }

 private:
  virtual void give(Side side) {
    shmem_putmem(landing(side), outgoing(side).data(), outgoing(side).size_bytes(),
                 halo().neighbours[side]);
  }
  virtual void announce() {
    // Only this order makes the flag say anything (OpenSHMEM 1.4, section 9.10, shmem_fence).
    shmem_fence();
    for (const Side side : kSides) {
      if (has(side)) shmem_uint64_p(flag(side), turn_, halo().neighbours[side]);
    }
  }
  void await(std::uint64_t* flag) const {
    if (std::atomic_ref(*flag).load(std::memory_order_acquire) >= turn_) return;
    shmem_uint64_wait_until(flag, SHMEM_CMP_GE, turn_);
  }

  std::vector<double> out_;
  Symmetric<double> landing_;
  Symmetric<Flag> flags_;
  std::uint64_t turn_ = 0;
};

#ifdef LEADLINE_OPENSHMEM_1_5
class PutSignal : public PutFlag {
 public:
  using PutFlag::PutFlag;

 private:
  void give(Side side) override {
    shmem_putmem_signal(landing(side), outgoing(side).data(), outgoing(side).size_bytes(),
                        flag(side), turn(), SHMEM_SIGNAL_SET, halo().neighbours[side]);
  }
  void announce() override {}
};
#endif

Axis pattern_axis() {
  std::vector<std::string> choices{"put_flag"};
  std::string summary("how values are exchanged; put_flag: a put, a fence and a flag");
#ifdef LEADLINE_OPENSHMEM_1_5
  choices.emplace_back("put_signal");
  summary.append("; put_signal: shmem_putmem_signal");
#endif
  return choice_axis("pattern", std::move(summary), std::move(choices));
}

Operation prepare(const Point& point) {
  const bool signal = point.choice("pattern") == "put_signal";
  const auto exchange = [signal](const Halo& halo) -> std::unique_ptr<Exchange> {
#ifdef LEADLINE_OPENSHMEM_1_5
    if (signal) return std::make_unique<PutSignal>(halo);
#endif
    (void)signal;
    return std::make_unique<PutFlag>(halo);
  };
  return timestep::prepare(
      point, {.exchange = exchange, .read_field = timestep::read_by_rows, .one_sided = true});
}

Benchmark declare() {
  return {
      .name = "shmem/timestep",
      .title = "SHMEM time-step loop",
      .summary = timestep::summary(),
      .axes = timestep::axes({pattern_axis()}),
      .series = timestep::series(),
      .prepare = prepare,
  };
}

const Registration timestep_loop{declare};

}  // namespace
}  // namespace leadline::probe
