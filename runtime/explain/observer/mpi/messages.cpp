#include "runtime/explain/observer/mpi/messages.hpp"

#include <array>
#include <bit>
#include <vector>

namespace leadline::explain {
namespace {

// No time is so early.
constexpr u64 kBeforeItWasSent = 1;

// What this rank has taken of one sender's messages.
struct Reading {
  u64 next = 1;   // all before are taken, or lost
  u64 taken = 0;  // bit i: number next + i
  u64 lost = 0;   // overwritten before they were taken
  // Receives that wait, by a hash of tag and communicator. They get theirs before later ones.
  std::array<std::uint16_t, 16> pending{};
};

std::vector<Reading>& readings = *new std::vector<Reading>;
std::atomic_flag guard_of_readings;
std::atomic_flag guard_of_sending;

Pair& pair_of(int from, int to) {
  return reinterpret_cast<Pair*>(observer.pairs)[std::ptrdiff_t{from} * observer.here + to];
}

u32 low(u64 number) { return static_cast<u32>(number ^ number >> 32U); }

std::uint16_t& pending_of(Reading& reading, int tag, u32 comm) {
  return reading.pending[(static_cast<u32>(tag) * 0x9E3779B1U ^ comm * 0x85EBCA6BU) >> 28U];
}

int index_of(int world) {
  return world < 0 || observer.pairs == nullptr
             ? -1
             : observer.index_of[static_cast<std::size_t>(world)];
}

void shift(Reading& reading, u64 to) {
  const u64 by = to - reading.next;
  const u64 untaken_lost =
      by - static_cast<u64>(by >= 64 ? std::popcount(reading.taken)
                                     : std::popcount(reading.taken & ((u64{1} << by) - 1)));
  reading.lost += untaken_lost;
  reading.taken = by >= 64 ? 0 : reading.taken >> by;
  reading.next = to;
}

// The oldest message but `skipped` of a tag that is there and not taken.
Message* find(Reading& reading, int from, int tag, u32 comm, unsigned skipped, u64& number) {
  Pair& pair = pair_of(from, observer.index);
  // Most are taken in turn: then the count, which comes from another core, need not be looked at.
  number = reading.next;
  Message& oldest = pair.messages[number % Pair::kMessages];
  if (skipped == 0 && oldest.number.load(std::memory_order_acquire) == number &&
      oldest.tag == tag && oldest.comm == comm) {
    return &oldest;
  }
  const u64 count = pair.count.load(std::memory_order_acquire);
  if (count >= reading.next + Pair::kMessages) shift(reading, count - Pair::kMessages + 1);
  for (number = reading.next; number <= count; ++number) {
    if ((reading.taken >> (number - reading.next) & 1U) != 0) continue;
    Message& message = pair.messages[number % Pair::kMessages];
    if (message.number.load(std::memory_order_acquire) != number) continue;
    if (message.tag != tag || message.comm != comm) continue;
    if (skipped-- == 0) return &message;
  }
  return nullptr;
}

void take(Reading& reading, u64 number) {
  reading.taken |= u64{1} << (number - reading.next);
  const int all = std::countr_one(reading.taken);
  reading.next += static_cast<u64>(all);
  reading.taken = all >= 64 ? 0 : reading.taken >> all;
}

}  // namespace

void prepare_messages() { readings.resize(static_cast<std::size_t>(observer.here)); }

u64 Sent::noted() const {
  if (to < 0) return 0;
  const Message& message = pair_of(observer.index, to).messages[number % Pair::kMessages];
  const u64 asked = message.asked.load(std::memory_order_acquire);
  return message.number.load(std::memory_order_acquire) == number ? asked : 0;
}

u64 Sent::asked() const {
  const u64 asked = noted();
  return asked == kBeforeItWasSent ? 0 : asked;
}

bool Sent::is_asked_for() const { return noted() != 0; }

Sent add_message(const Group& known, int to, int tag, u64 now) {
  Sent sent;
  sent.world = known.world(to);
  sent.to = known.number == kUnknownComm ? -1 : index_of(sent.world);
  if (sent.to < 0) return sent;
  const Guard guard(guard_of_sending);
  Pair& pair = pair_of(observer.index, sent.to);
  sent.number = pair.count.load(std::memory_order_relaxed) + 1;
  Message& message = pair.messages[sent.number % Pair::kMessages];
  message.number.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  message.tag = tag;
  message.comm = low(known.number);
  message.sent = now;
  message.asked.store(0, std::memory_order_relaxed);
  message.number.store(sent.number, std::memory_order_release);
  pair.count.store(sent.number, std::memory_order_release);
  return sent;
}

Awaited await_message(const Group& known, int source, int tag, u64 now) {
  Awaited awaited{.known = &known, .source = source, .tag = tag};
  awaited.is_wild = source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
  if (awaited.is_wild) return awaited;
  awaited.from = known.number == kUnknownComm ? -1 : index_of(known.world(source));
  if (awaited.from < 0) return awaited;
  const Guard guard(guard_of_readings);
  Reading& reading = readings[static_cast<std::size_t>(awaited.from)];
  const u32 comm = low(known.number);
  std::uint16_t& pending = pending_of(reading, tag, comm);
  u64 number = 0;
  Message* const message = find(reading, awaited.from, tag, comm, pending, number);
  if (reading.lost > 0) {
    // It was there long ago, and so many came after it that nobody knows when.
    --reading.lost;
    lose(&Block::lost_stamps);
    awaited.sent = 1;
  } else if (message != nullptr) {
    awaited.sent = message->sent;
    message->asked.store(now, std::memory_order_release);
    take(reading, number);
  } else {
    ++pending;
    awaited.is_pending = true;
  }
  return awaited;
}

Arrived take_message(const Awaited& awaited, const MPI_Status* status) {
  if (awaited.known == nullptr) return {};
  const Group& known = *awaited.known;
  if (!awaited.is_wild && !awaited.is_pending) {
    return {.sent = awaited.sent, .world = known.world(awaited.source)};
  }
  if (awaited.is_wild && status == nullptr) return {};
  const int source = awaited.is_wild ? status->MPI_SOURCE : awaited.source;
  const int tag = awaited.is_wild ? status->MPI_TAG : awaited.tag;
  Arrived arrived{.world = known.world(source)};
  const int from = known.number == kUnknownComm ? -1 : index_of(arrived.world);
  if (from < 0) return arrived;
  const Guard guard(guard_of_readings);
  Reading& reading = readings[static_cast<std::size_t>(from)];
  const u32 comm = low(known.number);
  if (awaited.is_pending) --pending_of(reading, tag, comm);
  u64 number = 0;
  Message* const message = find(reading, from, tag, comm, 0, number);
  if (reading.lost > 0) {
    --reading.lost;
    lose(&Block::lost_stamps);
  } else if (message != nullptr) {
    arrived.sent = message->sent;
    if (awaited.is_pending) message->asked.store(kBeforeItWasSent, std::memory_order_release);
    take(reading, number);
  }
  return arrived;
}

void give_up(const Awaited& awaited) {
  if (!awaited.is_pending) return;
  const Guard guard(guard_of_readings);
  Reading& reading = readings[static_cast<std::size_t>(awaited.from)];
  --pending_of(reading, awaited.tag, low(awaited.known->number));
}

Arrived look_at_message(const Group& known, int source, int tag) {
  Arrived arrived{.world = known.world(source)};
  const int from = known.number == kUnknownComm ? -1 : index_of(arrived.world);
  if (from < 0) return arrived;
  const Guard guard(guard_of_readings);
  Reading& reading = readings[static_cast<std::size_t>(from)];
  u64 number = 0;
  const Message* const message = find(reading, from, tag, low(known.number), 0, number);
  if (message != nullptr) arrived.sent = message->sent;
  return arrived;
}

}  // namespace leadline::explain
