#include "algorithms/node/persistent.hpp"

#include <sched.h>

#include <utility>

namespace leadline::node {

std::size_t Persistent::place_bytes(std::size_t given) {
  constexpr std::size_t kApart = sizeof(Place);
  const std::size_t data = given <= Line::kBytes ? 0 : (given + kApart - 1) / kApart * kApart;
  return kApart + data;
}

std::size_t Persistent::bytes_per_rank(int size, std::size_t given) {
  return sizeof(Service::Told) + static_cast<std::size_t>(places(size)) * place_bytes(given);
}

Persistent::Persistent(Ranks ranks, std::size_t given, Service service)
    : segment_(std::move(ranks.segment)),
      rank_(ranks.rank),
      size_(ranks.size),
      given_(given),
      place_bytes_(place_bytes(given)),
      service_(std::move(service)) {}

void Persistent::start() {
  ++step_;
  next_ = 0;
  service_.begin(told());
  Place& mine = place(rank_);
  if (given_ > 0) give(given_ <= Line::kBytes ? mine.ready.data : mine.data());
  mine.ready.step.store(step_, std::memory_order_release);
}

bool Persistent::arrived() {
  for (; next_ < size_; ++next_) {
    if (next_ == rank_) continue;
    if (place(next_).ready.step.load(std::memory_order_acquire) != step_) return false;
  }
  return true;
}

void Persistent::serve_others() {
  service_.make_progress();
  if (service_.yields_soon()) sched_yield();
}

int Persistent::complete() {
  service_.wait([this] { return arrived(); });
  const int code = take();
  const int of_progress = service_.finish(told());
  return code != 0 ? code : of_progress;
}

}  // namespace leadline::node
