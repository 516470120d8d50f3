#include "runtime/engine/state_pool.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace leadline::runtime {
namespace {

// Of those that a process may have at a time. Which are kept is settled when they are made, since
// ranks must agree on it; so these stay.
constexpr int kMostKept = 16;

struct Store {
  std::mutex lock;
  std::map<std::uint64_t, std::unique_ptr<CommunicatorState>> by_label;
  bool closed = false;
};

Store& store() {
  // Never destroyed: MPI may have gone by then.
  static Store* const store = new Store;
  return *store;
}

template <typename Iterator>
std::unique_ptr<CommunicatorState> take_from(Store& from, Iterator found) {
  if (found == from.by_label.end()) return nullptr;
  std::unique_ptr<CommunicatorState> state = std::move(found->second);
  from.by_label.erase(found);
  return state;
}

}  // namespace

bool StatePool::has_room() { return CommunicatorState::labelled() < kMostKept; }

std::unique_ptr<CommunicatorState> StatePool::take_any(const std::vector<int>& ranks) {
  Store& all = store();
  const std::lock_guard lock(all.lock);
  return take_from(all, std::find_if(all.by_label.begin(), all.by_label.end(),
                                     [&](auto& each) { return each.second->ranks() == ranks; }));
}

std::unique_ptr<CommunicatorState> StatePool::take(std::uint64_t label) {
  Store& all = store();
  const std::lock_guard lock(all.lock);
  return take_from(all, all.by_label.find(label));
}

void StatePool::give(std::unique_ptr<CommunicatorState> state) {
  if (state == nullptr || state->label() == 0) return;
  Store& all = store();
  const std::lock_guard lock(all.lock);
  if (!all.closed) all.by_label.emplace(state->label(), std::move(state));
}

void StatePool::close() {
  Store& all = store();
  std::map<std::uint64_t, std::unique_ptr<CommunicatorState>> last;
  {
    const std::lock_guard lock(all.lock);
    all.closed = true;
    last.swap(all.by_label);
  }
  while (!last.empty()) last.erase(last.begin());
}

}  // namespace leadline::runtime
