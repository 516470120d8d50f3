// One 8-byte word of rank 0's that one other rank, or all ranks at once, change atomically.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "benchmarks/rma/synchronisation.hpp"
#include "benchmarks/rma/window.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe {

// Every rank adds its own share, so the sum of all that was added tells what the word must hold:
// after one call of each, and after all calls that were timed. A change that another one overwrote
// is missing.
class SharedWord {
 public:
  using Value = std::uint64_t;

  explicit SharedWord(const Point& point);
  virtual ~SharedWord() = default;
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;

  int origins() const { return all_ ? size_ : 1; }
  bool is_origin() const { return all_ || rank_ == kOnlyOrigin; }

  // Timed.
  void call();
  // Collective, untimed.
  void fill(std::uint64_t seed);
  std::size_t wrong_bytes();
  // What share of all calls before the last `fill` changed the word.
  double changed_fraction() const;

 protected:
  static constexpr int kHost = 0;

  // What one origin saw, and what it adds.
  struct Sight {
    Value seen;
    Value share;
  };

  // After a fill; untimed.
  virtual void refilled() {}
  // Asks for one change of the word; the word before it is to come to `seen_`.
  virtual void issue() = 0;
  // After the call: whether the share was added.
  virtual bool changed() = 0;
  // Whether these sights, one of each origin's only call, can follow from `before` and give
  // `after`.
  virtual bool possible(std::span<Sight> sights, Value before, Value after) const = 0;

  MPI_Win window() const { return window_.handle(); }
  Value share() const { return share_; }
  Value base() const { return base_; }

  Value seen_ = 0;

 private:
  static constexpr int kOnlyOrigin = 1;

  Value* word() { return reinterpret_cast<Value*>(window_.memory()); }
  Value word_everywhere();
  void check_total();

  int rank_;
  int size_;
  bool all_;
  Window window_;
  std::unique_ptr<Synchronisation> synchronisation_;
  Value base_ = 0;     // what the word held at the last fill
  Value share_ = 0;    // what this rank adds
  Value calls_ = 0;    // of this rank since then
  Value changes_ = 0;  // of these, those that changed the word
  double all_calls_ = 0.0;
  double all_changes_ = 0.0;
  bool total_wrong_ = false;
};

// Who changes the word: `one` or `all`.
Axis origins_axis();

// The operation for `word`, with all its origins timed.
Operation shared_word_operation(const std::shared_ptr<SharedWord>& word);

}  // namespace leadline::probe
