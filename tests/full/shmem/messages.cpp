// Run under oshrun on any number of PEs: messages of a ShmemWorld arrive whole, in order and
// without deadlock, and every PE knows its node. Exits with 1 at the first wrong one.
#include <shmem.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "comm/shmem_world.hpp"
#include "harness/content.hpp"
#include "harness/coordinate.hpp"

namespace {

using leadline::probe::ShmemWorld;

// Above and below the piece that a mailbox holds, and none at all.
constexpr std::size_t kSizes[] = {1, 8, 40, 0, 65535, 65536, 65537, 131072, 1 << 20};

void require(bool condition, const char* what, int rank) {
  if (condition) return;
  std::fprintf(stderr, "wrong on PE %d: %s\n", rank, what);
  shmem_global_exit(1);
}

std::vector<std::byte> message(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> data(bytes);
  leadline::probe::fill_content(data.data(), bytes, seed);
  return data;
}

std::uint64_t seed_of(int from, int to, std::size_t number) {
  return (static_cast<std::uint64_t>(from) << 40) + (static_cast<std::uint64_t>(to) << 20) + number;
}

void expect(ShmemWorld& world, std::size_t bytes, int from, std::size_t number) {
  std::vector<std::byte> data(bytes);
  world.receive(data.data(), bytes, from);
  require(
      leadline::probe::wrong_content(data.data(), bytes, seed_of(from, world.rank(), number)) == 0,
      "content of a message", world.rank());
}

void send(ShmemWorld& world, std::size_t bytes, int to, std::size_t number) {
  const auto data = message(bytes, seed_of(world.rank(), to, number));
  world.send(data.data(), bytes, to);
}

// Everyone sends everything to everyone, itself too, before it receives anything.
void all_send_first(ShmemWorld& world) {
  for (int to = 0; to < world.size(); ++to) {
    for (std::size_t i = 0; i < std::size(kSizes); ++i) send(world, kSizes[i], to, i);
  }
  // The last sender first: what came earlier must wait.
  for (int from = world.size() - 1; from >= 0; --from) {
    for (std::size_t i = 0; i < std::size(kSizes); ++i) expect(world, kSizes[i], from, i);
  }
}

void many_small(ShmemWorld& world, std::size_t rounds) {
  const int right = (world.rank() + 1) % world.size();
  const int left = (world.rank() - 1 + world.size()) % world.size();
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::size_t bytes = 1 + i % 64;
    const auto out = message(bytes, seed_of(world.rank(), right, i));
    std::vector<std::byte> in(bytes);
    world.exchange(out.data(), bytes, right, in.data(), bytes, left);
    require(leadline::probe::wrong_content(in.data(), bytes, seed_of(left, world.rank(), i)) == 0,
            "content of an exchange", world.rank());
  }
}

void together(ShmemWorld& world) {
  leadline::probe::barrier(world);
  const int sum = leadline::probe::agree(world, world.rank() + 1, leadline::probe::take_sum<int>);
  require(sum == world.size() * (world.size() + 1) / 2, "sum over all PEs", world.rank());
  std::vector<int> own(3, world.rank());
  std::vector<int> count(static_cast<std::size_t>(world.size()));
  leadline::probe::collect<int>(
      world, own,
      [&](std::span<const int> part) {
        for (int rank : part) ++count.at(rank);
      },
      2);
  for (int each : count) require(world.rank() != 0 || each == 3, "collected items", world.rank());
}

void node(ShmemWorld& world) {
  require(world.member(world.node_rank()) == world.rank(), "own place in the node", world.rank());
  require(world.leader(world.node()) == world.member(0), "leader of the node", world.rank());
  const int leaders =
      leadline::probe::agree(world, world.node_rank() == 0 ? 1 : 0, leadline::probe::take_sum<int>);
  require(leaders == world.nodes(), "one leader for each node", world.rank());
  const int last = leadline::probe::agree(world, world.node(), leadline::probe::take_maximum<int>);
  require(last == world.nodes() - 1, "nodes are counted from 0", world.rank());
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  shmem_init();
  {
    ShmemWorld world;
    node(world);
    all_send_first(world);
    many_small(world, rounds);
    together(world);
    if (world.rank() == 0) std::printf("%d PEs on %d nodes\n", world.size(), world.nodes());
  }
  shmem_finalize();
}
