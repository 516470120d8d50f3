// What ranks do together, in O(log P) steps a rank, on nothing but World's send and receive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "harness/world.hpp"

namespace leadline::probe {

// Every rank leaves after the last has come (dissemination: Hensgen, Finkel, Manber 1988).
void barrier(World& world);

// Rank 0's bytes reach every rank (binomial tree).
void broadcast(World& world, void* data, std::size_t bytes);

template <typename T>
  requires std::is_trivially_copyable_v<T>
void broadcast(World& world, T& value) {
  broadcast(world, &value, sizeof value);
}

// Combines the values of all ranks into rank 0's (binomial tree). `combine` folds the second into
// the first, and must be associative and commutative.
template <typename T>
  requires std::is_trivially_copyable_v<T>
void reduce(World& world, std::span<T> values, void (*combine)(T&, const T&)) {
  std::vector<T> other(values.size());
  for (int bit = 1; bit < world.size(); bit <<= 1) {
    if (world.rank() & bit) {
      world.send(values.data(), values.size_bytes(), world.rank() - bit);
      return;
    }
    if (world.rank() + bit >= world.size()) continue;
    world.receive(other.data(), values.size_bytes(), world.rank() + bit);
    for (std::size_t i = 0; i < values.size(); ++i) combine(values[i], other[i]);
  }
}

// The same with the result on every rank.
template <typename T>
T agree(World& world, T value, void (*combine)(T&, const T&)) {
  reduce(world, std::span<T>(&value, 1), combine);
  broadcast(world, value);
  return value;
}

template <typename T>
void take_maximum(T& mine, const T& other) {
  if (other > mine) mine = other;
}

template <typename T>
void take_sum(T& mine, const T& other) {
  mine += other;
}

// Of sets of bits.
inline void take_union(std::uint64_t& mine, const std::uint64_t& other) { mine |= other; }

// Streams the items of all ranks to rank 0, which hands them to `sink` in chunks. Items travel up
// a binomial tree in messages of `chunk` items, so a rank's memory does not depend on how many
// ranks there are.
template <typename T>
  requires std::is_trivially_copyable_v<T>
void collect(World& world, std::span<const T> own,
             const std::function<void(std::span<const T>)>& sink, std::size_t chunk = 8192) {
  std::vector<T> buffer;
  buffer.reserve(std::min(chunk, own.size() + 1));
  int parent = -1;
  const auto flush = [&] {
    if (buffer.empty()) return;
    if (world.rank() == 0) {
      sink(buffer);
    } else {
      const std::uint64_t count = buffer.size();
      world.send(&count, sizeof count, parent);
      world.send(buffer.data(), count * sizeof(T), parent);
    }
    buffer.clear();
  };
  const auto append = [&](std::span<const T> items) {
    while (!items.empty()) {
      const auto part = items.first(std::min(items.size(), chunk - buffer.size()));
      buffer.insert(buffer.end(), part.begin(), part.end());
      items = items.subspan(part.size());
      if (buffer.size() == chunk) flush();
    }
  };
  int children = 1;  // ranks rank+1, rank+2, rank+4, ... below this bound are this rank's children
  while (children < world.size() && !(world.rank() & children)) children <<= 1;
  parent = world.rank() - children;
  append(own);
  std::vector<T> incoming;
  for (int bit = 1; bit < children && world.rank() + bit < world.size(); bit <<= 1) {
    for (;;) {
      std::uint64_t count = 0;
      world.receive(&count, sizeof count, world.rank() + bit);
      if (count == 0) break;
      incoming.resize(count);
      world.receive(incoming.data(), count * sizeof(T), world.rank() + bit);
      append(incoming);
    }
  }
  flush();
  if (world.rank() != 0) {
    const std::uint64_t end = 0;
    world.send(&end, sizeof end, parent);
  }
}

// The lists of all ranks on rank 0, by rank; empty where every list is, and on all other ranks.
std::vector<std::vector<int>> gather_lists(World& world, const std::vector<int>& own);

}  // namespace leadline::probe
