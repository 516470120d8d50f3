// Data that ranks of one node hand each other along the edges of a graph, where a rank meets its
// neighbours only: others may be any number of calls ahead of it or behind.
//
// So the steps of the node, which all its ranks count alike, are of no use. Instead each edge is a
// channel from its source to its destination: a few places for pieces, each with a number that the
// source counts and the destination waits for. The destination counts what it has taken, and the
// source writes a place again when the piece in it has been. A call ends on a rank when all that it
// sends lies in shared memory and all that it receives has come; meanwhile it serves all its edges
// by turns, so none of them waits for another one.
//
// One more channel of each rank is for what it sends to all its neighbours: it is written once, and
// each of them counts what it has taken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/node/node.hpp"
#include "algorithms/node/segment.hpp"

namespace leadline::node {

class Edges {
 public:
  static constexpr int kNobody = -1;
  // An edge that comes to this rank: from whom, or from kNobody, and which of that rank's outgoing
  // edges it is.
  struct Incoming {
    int source;
    std::size_t edge;
  };
  struct Sent {
    const std::byte* data;
    std::size_t bytes;
  };
  struct Received {
    std::byte* data;
    std::size_t room;
    std::size_t bytes;  // that came, also where there is not so much room
  };

  // Whether there is room for so many edges that go from one rank.
  static bool has_room_for(std::size_t edges);
  // Of each rank's part of the segment, for the most edges that go from any rank.
  static std::size_t bytes_per_rank(std::size_t most_edges);

  // `destinations` may be kNobody, too. The segment is zero before any rank goes on.
  Edges(Segment segment, int rank, std::size_t most_edges, const std::vector<int>& destinations,
        const std::vector<Incoming>& incoming);

  // All ranks call the same ones in the same order. A block along each edge, in the order in which
  // they were given, and of any length, which the destination need not know; or one block along all
  // edges. What comes from kNobody is left as it is. Nothing sent may lie where something is
  // received.
  void exchange(Node& node, const Sent* sent, Received* received);
  void spread(Node& node, const Sent& sent, Received* received);

 private:
  using Count = std::uint64_t;
  struct alignas(128) Taken {
    std::atomic<Count> pieces;
  };
  // Data of one line need no other.
  struct alignas(64) Head {
    static constexpr std::size_t kBytes = 48;
    std::atomic<Count> piece;
    std::uint64_t total;  // of the block
    std::byte data[kBytes];
  };
  static_assert(sizeof(Head) == 64);

  // Where pieces lie.
  struct Places {
    std::byte* first;
    std::size_t piece_bytes;
    Head& head(Count piece) const;
    static std::byte* data(Head& head) { return reinterpret_cast<std::byte*>(&head + 1); }
  };
  // What this rank writes.
  struct Channel {
    Places places;
    std::vector<const std::atomic<Count>*> taken;  // by each that reads
    Count written = 0;
    Count least_taken = 0;
    std::size_t done = 0;
    bool open = false;

    bool has_place();
    bool push(const Sent& sent);
  };
  // What it reads.
  struct Tap {
    Places places;
    std::atomic<Count>* taken = nullptr;
    Count read = 0;
    std::size_t done = 0;
    bool open = false;

    bool pull(Received& received);
  };

  static std::size_t piece_bytes(std::size_t most_edges);
  static std::size_t channel_bytes(std::size_t most_edges);
  Places places(int rank, std::size_t channel) const;
  Taken& taken(int rank, std::size_t channel, std::size_t edge) const;
  template <typename SentOn>
  void move(Node& node, std::vector<Channel>& channels, std::vector<Tap>& taps,
            const SentOn& sent_on, Received* received);

  Segment segment_;
  std::size_t most_edges_;
  std::vector<Incoming> own_;  // by incoming edge: which of this rank's own it is, if any
  std::vector<Channel> channels_;
  std::vector<Tap> taps_;
  std::vector<Channel> channel_to_all_;  // one
  std::vector<Tap> taps_of_all_;
};

}  // namespace leadline::node
