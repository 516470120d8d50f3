// Calls that hand data over in the way that was found to be the fastest, and are timed to find it.
// A way holds while the object lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

#include "algorithms/node/node.hpp"
#include "algorithms/node/pace.hpp"

namespace leadline::node {

// While it lives, all ranks exchange `bytes` in slots, each writing them in the way that it finds
// fastest.
class Node::Exchange {
 public:
  Exchange(Node& node, std::size_t bytes)
      : node_(node), bytes_(bytes), choice_(node.pace_.next(bytes)), start_(Pace::now()) {
    node.way_ = choice_.way;
  }
  ~Exchange() { node_.pace_.took(bytes_, choice_, Pace::now() - start_); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

 private:
  Node& node_;
  std::size_t bytes_;
  Pace::Choice choice_;
  Pace::Ticks start_;
};

// While it lives, all ranks move `bytes`, in the way that the first rank finds fastest. That one
// says in each movement how the next one of its size will be done.
class Node::Movement {
 public:
  Movement(Node& node, std::size_t bytes)
      : node_(node),
        bytes_(bytes),
        can_copy_singly_(node.copies_singly(bytes)),
        choice_(agreed().value_or(
            Pace::Choice{.way = Pace::first(bytes, can_copy_singly_), .is_trial = false})),
        first_(node.step_ + 1),
        start_(Pace::now()) {
    node.way_ = way();
  }
  ~Movement() {
    if (node_.rank_ == 0) node_.movement_pace_.took(bytes_, choice_, Pace::now() - start_);
  }
  Movement(const Movement&) = delete;
  Movement& operator=(const Movement&) = delete;

  Way way() const { return can_copy_singly_ ? choice_.way : past_caches_at_best(choice_.way); }
  // After a step was begun, before it is published.
  void begun(Step step) {
    if (step != first_ || node_.rank_ != 0) return;
    const Pace::Choice next = node_.movement_pace_.next(bytes_, can_copy_singly_);
    agreed() = next;
    std::atomic<Way>& said = node_.said(step);
    // A line that nobody writes is in the caches of all.
    if (said.load(std::memory_order_relaxed) != next.way) {
      said.store(next.way, std::memory_order_relaxed);
    }
  }
  // After the first rank has published it, before the second step after it is published.
  void met(Step step) {
    if (step != first_ || node_.rank_ == 0) return;
    const Way way = node_.said(step).load(std::memory_order_relaxed);
    agreed() = Pace::Choice{.way = way, .is_trial = false};
  }

 private:
  // Of the next movement of this size.
  std::optional<Pace::Choice>& agreed() { return node_.agreed_[Pace::class_of(bytes_)]; }

  Node& node_;
  std::size_t bytes_;
  bool can_copy_singly_;
  Pace::Choice choice_;
  Step first_;
  Pace::Ticks start_;
};

// While it lives, this rank alone hands `bytes` to the others in slots, who do not wait for one
// another. It waits for them only where it tries a way.
class Node::Spread {
 public:
  Spread(Node& node, std::size_t bytes, bool can_copy_singly)
      : node_(node),
        bytes_(bytes),
        choice_(node.spread_pace_.next(bytes, can_copy_singly)),
        start_(Pace::now()) {
    if (!can_copy_singly) choice_.way = past_caches_at_best(choice_.way);
    node.way_ = choice_.way;
  }
  ~Spread() {
    if (choice_.is_trial && choice_.way != Way::kSingleCopy) node_.ask_who_is_done(node_.step_);
    node_.spread_pace_.took(bytes_, choice_, Pace::now() - start_);
  }
  Spread(const Spread&) = delete;
  Spread& operator=(const Spread&) = delete;

  Way way() const { return choice_.way; }

 private:
  Node& node_;
  std::size_t bytes_;
  Pace::Choice choice_;
  Pace::Ticks start_;
};

}  // namespace leadline::node
