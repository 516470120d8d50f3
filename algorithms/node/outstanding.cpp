#include "algorithms/node/outstanding.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

namespace leadline::node {

Outstanding::Outstanding(Segment segment, int rank, int size,
                         std::function<std::unique_ptr<Service>()> new_service)
    : segment_(std::move(segment)),
      rank_(rank),
      size_(size),
      new_service_(std::move(new_service)) {}

bool Outstanding::start(const std::shared_ptr<Outstanding>& all, Operation& operation) {
  const std::lock_guard lock(all->lock_);
  const Step number = all->started_ + 1;
  if (number > all->taken_ + kUntaken) all->take_what_arrived();
  if (!all->is_granted(number)) return false;
  operation.service_ = all->idle_service();
  operation.service_->begin(all->part(0).traffic);
  operation.of_ = all;
  operation.number_ = number;
  all->started_ = number;
  all->untaken_[number % kPlaces] = &operation;
  const std::size_t given = operation.given_;
  if (given > 0) operation.give(all->data(all->rank_, number, given));
  all->place(all->rank_, number).ready.step.store(number, std::memory_order_release);
  return true;
}

// By induction, what is not granted is the number after the last one that is.
bool Outstanding::is_granted(Step number) {
  if (number <= granted_ || final_) return number <= granted_;
  std::atomic<std::uint64_t>& shared = part(0).granted.value;
  std::uint64_t known = shared.load(std::memory_order_acquire);
  while (number > (known & ~kFinal) && (known & kFinal) == 0) {
    // That all have taken what a place had is seen here, and by who sees the number granted.
    const Step most = taken_by_all() + kPlaces;
    const std::uint64_t wanted = number <= most ? most : known | kFinal;
    if (shared.compare_exchange_weak(known, wanted, std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
      known = wanted;
    }
  }
  granted_ = known & ~kFinal;
  final_ = (known & kFinal) != 0;
  return number <= granted_;
}

Step Outstanding::taken_by_all() const {
  Step least = taken_;
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    least = std::min<Step>(least, part(rank).taken.value.load(std::memory_order_acquire));
  }
  return least;
}

// A place that has a later number was taken before, by another thread of this rank.
bool Outstanding::all_have_started(const Operation& operation, int& next) const {
  for (; next < size_; ++next) {
    if (next == rank_) continue;
    const std::atomic<Step>& started = place(next, operation.number_).ready.step;
    if (started.load(std::memory_order_acquire) < operation.number_) return false;
  }
  return true;
}

std::unique_ptr<Service> Outstanding::idle_service() {
  if (idle_.empty()) return new_service_();
  std::unique_ptr<Service> service = std::move(idle_.back());
  idle_.pop_back();
  return service;
}

void Outstanding::take_what_arrived() {
  const Step last = started_;
  for (Step number = taken_ + 1; number <= last; ++number) {
    Operation* const operation = untaken_[number % kPlaces];
    if (operation != nullptr && operation->arrived()) take(*operation);
  }
}

void Outstanding::take(Operation& operation) {
  if (operation.taken_) return;
  operation.code_ = operation.take();
  drop(operation);
}

void Outstanding::drop(Operation& operation) {
  operation.taken_ = true;
  untaken_[operation.number_ % kPlaces] = nullptr;
  if (operation.number_ != taken_ + 1) return;
  while (taken_ < started_ && untaken_[(taken_ + 1) % kPlaces] == nullptr) ++taken_;
  part(rank_).taken.value.store(taken_, std::memory_order_release);
}

Outstanding::Operation::~Operation() {
  if (of_ == nullptr) return;
  const std::lock_guard lock(of_->lock_);
  if (!taken_) of_->drop(*this);
  if (service_ != nullptr) of_->idle_.push_back(std::move(service_));
}

const std::byte* Outstanding::Operation::of(int rank) const {
  return of_->data(rank, number_, given_);
}

bool Outstanding::Operation::arrived() {
  int next = next_.load(std::memory_order_relaxed);
  const bool all = of_->all_have_started(*this, next);
  next_.store(next, std::memory_order_relaxed);
  return all;
}

void Outstanding::Operation::serve_others() {
  service_->make_progress();
  if (service_->yields_soon()) sched_yield();
}

int Outstanding::Operation::complete() {
  service_->wait([this] { return arrived(); });
  int code = 0;
  {
    const std::lock_guard lock(of_->lock_);
    of_->take(*this);
    code = code_;
  }
  const int of_progress = service_->finish(of_->part(0).traffic);
  return code != 0 ? code : of_progress;
}

}  // namespace leadline::node
