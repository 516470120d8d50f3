// Exchanges along edges, where ranks run ahead of those that are not their neighbours, with threads
// for ranks.
#include <doctest/doctest.h>
#include <sched.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "algorithms/node/edges.hpp"

namespace {

using namespace leadline::node;

class NoProgress final : public Progress {
 public:
  int make() override { return 0; }
};

using Bytes = std::vector<std::uint8_t>;

// One part of memory for each rank.
class Memory {
 public:
  Memory(int ranks, std::size_t bytes) {
    const std::size_t whole = (bytes + 4095) / 4096 * 4096;
    for (int rank = 0; rank < ranks; ++rank) {
      owned_.emplace_back(static_cast<std::byte*>(std::aligned_alloc(4096, whole)));
      std::fill_n(owned_.back().get(), whole, std::byte{0});
      parts_.push_back(owned_.back().get());
    }
  }
  Segment segment() const { return Segment(parts_); }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<std::byte, Free>> owned_;
  std::vector<std::byte*> parts_;
};

// A line of ranks: edges go both ways between neighbours, two of them forward; each rank has one to
// itself, and one more that leads to nobody and comes from nobody.
struct Graph {
  explicit Graph(int rank, int size) {
    const int before = rank > 0 ? rank - 1 : Edges::kNobody;
    const int after = rank + 1 < size ? rank + 1 : Edges::kNobody;
    destinations = {before, after, rank, Edges::kNobody, after};
    incoming = {{before, 4}, {after, 0}, {rank, 2}, {Edges::kNobody, 0}, {before, 1}};
  }
  std::vector<int> destinations;
  std::vector<Edges::Incoming> incoming;
};

class Rank {
 public:
  static constexpr std::size_t kEdges = 5;
  Rank(int rank, int size, const Memory& nodes, const Memory& edges, const Survey& survey)
      : graph_(rank, size),
        rank_(rank),
        node_(nodes.segment(), rank, size, survey, std::make_unique<NoProgress>()),
        edges_(edges.segment(), rank, kEdges, graph_.destinations, graph_.incoming) {}

  int count_wrong(int rounds) {
    std::mt19937 delays(static_cast<unsigned>(rank_));
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      for (unsigned i = delays() % 16 == 0 ? delays() % 64 : 0; i > 0; --i) sched_yield();
      const bool spreads = round % 3 == 0;
      std::vector<Bytes> out;
      std::vector<Edges::Sent> sent;
      for (std::size_t edge = 0; edge < kEdges; ++edge) {
        out.push_back(block(round, rank_, spreads ? 0 : edge));
        sent.push_back({reinterpret_cast<const std::byte*>(out.back().data()), out.back().size()});
      }
      std::vector<Bytes> in(kEdges, Bytes(kMost));
      std::vector<Edges::Received> received;
      for (Bytes& each : in) {
        received.push_back({reinterpret_cast<std::byte*>(each.data()), kMost, 0});
      }
      if (spreads) {
        edges_.spread(node_, sent[0], received.data());
      } else {
        edges_.exchange(node_, sent.data(), received.data());
      }
      for (std::size_t i = 0; i < kEdges; ++i) {
        const auto [source, edge] = graph_.incoming[i];
        Bytes expected;
        if (source != Edges::kNobody) expected = block(round, source, spreads ? 0 : edge);
        in[i].resize(received[i].bytes);
        wrong += in[i] == expected ? 0 : 1;
      }
    }
    return wrong;
  }

 private:
  static constexpr std::size_t kMost = 200'000;
  // Of a line, a piece or several places of a channel.
  static Bytes block(int round, int from, std::size_t edge) {
    const std::size_t kinds[] = {0, 8, 48, 49, 3000, 17'000, kMost};
    const auto seed = static_cast<std::size_t>(round) * 7 + static_cast<std::size_t>(from) * 3;
    const std::size_t kind = (seed + edge) % (round % 16 == 0 ? 7 : 5);
    Bytes all(kinds[kind]);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<std::uint8_t>(seed * 31 + edge * 17 + i);
    }
    return all;
  }

  Graph graph_;
  int rank_;
  Node node_;
  Edges edges_;
};

TEST_CASE("exchanges along edges") {
  constexpr int kSize = 4;
  const Survey survey(true, kUsual);
  const Memory nodes(kSize, Node::bytes_per_rank(survey));
  const Memory edges(kSize, Edges::bytes_per_rank(Rank::kEdges));
  std::vector<int> wrong(kSize);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kSize; ++rank) {
    threads.emplace_back([&, rank] {
      Rank one(rank, kSize, nodes, edges, survey);
      wrong[static_cast<std::size_t>(rank)] = one.count_wrong(600);
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(wrong == std::vector<int>(kSize));
}

TEST_CASE("many edges share the room of a rank") {
  CHECK(Edges::has_room_for(0));
  CHECK(Edges::has_room_for(200));
  CHECK_FALSE(Edges::has_room_for(1000));
  CHECK(Edges::bytes_per_rank(200) < 2 << 20);
}

}  // namespace
