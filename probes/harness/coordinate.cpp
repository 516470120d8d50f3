#include "harness/coordinate.hpp"

namespace leadline {

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

}  // namespace leadline
