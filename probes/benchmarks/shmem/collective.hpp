// What the collectives share: over which PEs they go, their work arrays, and what lies between two
// calls.
#pragma once

#include <shmem.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "benchmarks/shmem/standard.hpp"
#include "comm/shmem_world.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe {

// The words and results of collectives are 64 bits wide.
Axis collective_bytes_axis(const char* summary);
// active_set, and team where the header has them.
Axis group_axis();
bool over_team(const Point& point);
std::vector<Series> completion_series();
// What all collectives that move data have in common is added to what is one's own.
Benchmark completed(Benchmark own);

// Array for a collective's own use, of `words` words as it must be before the first call.
Symmetric<long> make_sync_array(std::size_t words);

// Symmetric memory of which each call uses a part, as Buffer is of ordinary memory. All PEs step
// alike.
class SymmetricBuffer {
 public:
  SymmetricBuffer(std::size_t bytes, bool cold)
      : bytes_(bytes), slots_(bytes, cold), area_(make_symmetric<std::byte>(slots_.area_bytes())) {}
  std::byte* data() { return area_.get() + slots_.offset(); }
  void step() { slots_.step(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  Slots slots_;
  Symmetric<std::byte> area_;
};

// The arguments of one collective over all PEs.
struct CollectiveCall {
  std::byte* target;
  const std::byte* source;
  std::size_t bytes;
  std::ptrdiff_t stride;  // from word to word
  int size;               // PEs
  long* sync;             // pSync
};

// One PE's side of a collective: where it takes from and puts to, and what must be there.
class Collective {
 public:
  using Function = void (*)(const CollectiveCall&);

  Collective(const Point& point, std::size_t source_bytes, std::size_t target_bytes,
             std::size_t sync_words, std::size_t stride = 1)
      : world_(point.world()),
        stride_(static_cast<std::ptrdiff_t>(stride)),
        bytes_(point.bytes()),
        source_(source_bytes, point.cold()),
        target_(target_bytes, point.cold()),
        sync_(make_sync_array(sync_words)) {}
  virtual ~Collective() = default;

  void call() {
    std::byte* target = target_.data();
    last_ = target;
    run({.target = target,
         .source = source_.data(),
         .bytes = bytes_,
         .stride = stride_,
         .size = world_.size(),
         .sync = sync_.get()});
    source_.step();
    target_.step();
  }
  virtual void fill(std::uint64_t seed) = 0;
  virtual std::size_t wrong_bytes(std::uint64_t seed) const = 0;

 protected:
  virtual void run(const CollectiveCall& call) = 0;

  World& world_;
  std::ptrdiff_t stride_;
  std::size_t bytes_;  // as the point says
  SymmetricBuffer source_;
  SymmetricBuffer target_;
  Symmetric<long> sync_;
  const std::byte* last_ = nullptr;  // the target of the last call
};

Operation collective_operation(const Point& point, const std::shared_ptr<Collective>& collective);

}  // namespace leadline::probe
