#include "comm/thread_world.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

namespace leadline::probe {

struct Message {
  int from;
  double arrival;
  std::vector<std::byte> data;
};

class ThreadWorld::Fabric {
 public:
  explicit Fabric(const ThreadWorldSettings& settings)
      : settings(settings),
        per_node((settings.ranks + settings.nodes - 1) / settings.nodes),
        inboxes(static_cast<std::size_t>(settings.ranks)) {}

  struct Inbox {
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<Message> messages;
  };

  void post(int to, Message message) {
    Inbox& inbox = inboxes[static_cast<std::size_t>(to)];
    const std::lock_guard lock(inbox.mutex);
    inbox.messages.push_back(std::move(message));
    inbox.arrived.notify_one();
  }

  Message take(int rank, int from) {
    Inbox& inbox = inboxes[static_cast<std::size_t>(rank)];
    std::unique_lock lock(inbox.mutex);
    for (;;) {
      const auto found = std::find_if(inbox.messages.begin(), inbox.messages.end(),
                                      [&](const Message& each) { return each.from == from; });
      if (found != inbox.messages.end()) {
        Message message = std::move(*found);
        inbox.messages.erase(found);
        return message;
      }
      inbox.arrived.wait(lock);
    }
  }

  const ThreadWorldSettings settings;
  const int per_node;
  std::deque<Inbox> inboxes;
};

ThreadWorld::ThreadWorld(std::shared_ptr<Fabric> fabric, int rank) : fabric_(std::move(fabric)) {
  rank_ = rank;
  size_ = fabric_->settings.ranks;
  nodes_ = fabric_->settings.nodes;
  node_ = rank / fabric_->per_node;
  node_rank_ = rank % fabric_->per_node;
  node_size_ = std::min(fabric_->per_node, size_ - node_ * fabric_->per_node);
  counters_.cpu = node_rank_;
}

void ThreadWorld::send(const void* data, std::size_t bytes, int to) {
  const auto* first = static_cast<const std::byte*>(data);
  const ThreadWorldSettings& settings = fabric_->settings;
  const double latency = settings.latency * (to > rank_ ? 1.0 + settings.asymmetry : 1.0);
  const double arrival = time_ + latency + static_cast<double>(bytes) / settings.bandwidth;
  fabric_->post(to, {rank_, arrival, {first, first + bytes}});
}

void ThreadWorld::send_untimed(const void* data, std::size_t bytes, int to) {
  const auto* first = static_cast<const std::byte*>(data);
  fabric_->post(to, {rank_, 0.0, {first, first + bytes}});
}

void ThreadWorld::receive(void* data, std::size_t bytes, int from) {
  const Message message = fabric_->take(rank_, from);
  if (message.data.size() != bytes) {
    throw std::logic_error("a message of " + std::to_string(message.data.size()) +
                           " bytes was received as one of " + std::to_string(bytes));
  }
  if (bytes > 0) std::memcpy(data, message.data.data(), bytes);
  time_ = std::max(time_, message.arrival);
}

void ThreadWorld::exchange(const void* out, std::size_t out_bytes, int to, void* in,
                           std::size_t in_bytes, int from) {
  send(out, out_bytes, to);
  receive(in, in_bytes, from);
}

int ThreadWorld::leader(int node) const { return node * fabric_->per_node; }

int ThreadWorld::member(int index) const { return node_ * fabric_->per_node + index; }

double ThreadWorld::now() const {
  time_ += fabric_->settings.clock_reading;
  return time_ + kernel_clock().ahead;
}

bool ThreadWorld::simulated() const { return fabric_->settings.simulated; }

std::optional<double> ThreadWorld::slowness(std::uint64_t seed) const {
  const ThreadWorldSettings& settings = fabric_->settings;
  if (settings.simulated) return std::nullopt;
  // Not the first number of the generator: benchmarks take that.
  std::mt19937_64 generator(~seed);
  const bool met = std::bernoulli_distribution(settings.spell_share)(generator);
  return met && time_ >= settings.spell_after ? settings.spell_times : 1.0;
}

KernelClock ThreadWorld::kernel_clock() const {
  const ThreadWorldSettings& settings = fabric_->settings;
  return {1, node_ * (settings.clock_offset + settings.clock_drift * time_)};
}

double ThreadWorld::wait_until(double time) const {
  const double offset = node_ * fabric_->settings.clock_offset;
  const double rate = 1.0 + node_ * fabric_->settings.clock_drift;
  time_ = std::max(time_, (time - offset) / rate);
  return now();
}

RankPlace ThreadWorld::place() const {
  RankPlace place;
  place.rank = rank_;
  place.node = node_;
  place.cpu = node_rank_;
  place.pid = static_cast<int>(getpid());
  std::snprintf(place.host, sizeof place.host, "simulated%d", node_);
  std::snprintf(place.cpus, sizeof place.cpus, "%d", node_rank_);
  return place;
}

void ThreadWorld::abort(int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}

void run_threads(const ThreadWorldSettings& settings,
                 const std::function<void(ThreadWorld&)>& body) {
  const auto fabric = std::make_shared<ThreadWorld::Fabric>(settings);
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::exception_ptr failure;
  for (int rank = 0; rank < settings.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ThreadWorld world(fabric, rank);
        body(world);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace leadline::probe
