#include "harness/coordinate.hpp"

namespace leadline::probe {

void barrier(World& world) {
  const int size = world.size();
  char out = 0;
  char in = 0;
  for (int distance = 1; distance < size; distance <<= 1) {
    world.exchange(&out, 1, (world.rank() + distance) % size, &in, 1,
                   (world.rank() - distance + size) % size);
  }
}

void broadcast(World& world, void* data, std::size_t bytes) {
  int bit = 1;
  while (bit < world.size() && !(world.rank() & bit)) bit <<= 1;
  if (world.rank() != 0) world.receive(data, bytes, world.rank() - bit);
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (world.rank() + bit < world.size()) world.send(data, bytes, world.rank() + bit);
  }
}

std::vector<std::vector<int>> gather_lists(World& world, const std::vector<int>& own) {
  struct Item {
    int rank;
    int value;
  };
  std::vector<Item> items;
  for (const int value : own) items.push_back({world.rank(), value});
  std::vector<std::vector<int>> all;
  collect<Item>(world, items, [&](std::span<const Item> some) {
    all.resize(static_cast<std::size_t>(world.size()));
    for (const Item& item : some) all[static_cast<std::size_t>(item.rank)].push_back(item.value);
  });
  return all;
}

}  // namespace leadline::probe
