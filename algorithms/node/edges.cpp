#include "algorithms/node/edges.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/copy/copy.hpp"

namespace leadline::node {
namespace {

// Places of a channel: a source may be so many pieces ahead.
constexpr std::size_t kPlaces = 4;
// What one rank's channels share.
constexpr std::size_t kRoom = std::size_t{1} << 20;
constexpr std::size_t kLeastPiece = 1 << 10;
constexpr std::size_t kMostPiece = 16 << 10;

}  // namespace

// One more channel than edges.
std::size_t Edges::piece_bytes(std::size_t most_edges) {
  const std::size_t each = kRoom / (most_edges + 1) / kPlaces;
  return each < kLeastPiece ? 0 : std::min(each / kLeastPiece * kLeastPiece, kMostPiece);
}

std::size_t Edges::channel_bytes(std::size_t most_edges) {
  return kPlaces * (sizeof(Head) + piece_bytes(most_edges));
}

bool Edges::has_room_for(std::size_t edges) { return piece_bytes(edges) > 0; }

// First what was taken of each edge's channel, and of the one to all; then the channels.
std::size_t Edges::bytes_per_rank(std::size_t most_edges) {
  return 2 * most_edges * sizeof(Taken) + (most_edges + 1) * channel_bytes(most_edges);
}

Edges::Head& Edges::Places::head(Count piece) const {
  return *reinterpret_cast<Head*>(first + piece % kPlaces * (sizeof(Head) + piece_bytes));
}

Edges::Taken& Edges::taken(int rank, std::size_t channel, std::size_t edge) const {
  const std::size_t index = edge + (channel == most_edges_ ? most_edges_ : 0);
  return reinterpret_cast<Taken*>(segment_.of(rank))[index];
}

Edges::Places Edges::places(int rank, std::size_t channel) const {
  return {.first = segment_.of(rank) + 2 * most_edges_ * sizeof(Taken) +
                   channel * channel_bytes(most_edges_),
          .piece_bytes = piece_bytes(most_edges_)};
}

// What a rank sends itself goes through no channel.
Edges::Edges(Segment segment, int rank, std::size_t most_edges,
             const std::vector<int>& destinations, const std::vector<Incoming>& incoming)
    : segment_(std::move(segment)), most_edges_(most_edges) {
  Channel to_all{.places = places(rank, most_edges), .taken = {}};
  for (std::size_t edge = 0; edge < destinations.size(); ++edge) {
    Channel& own = channels_.emplace_back(Channel{.places = places(rank, edge), .taken = {}});
    if (destinations[edge] == kNobody || destinations[edge] == rank) continue;
    own.taken.push_back(&taken(rank, edge, edge).pieces);
    to_all.taken.push_back(&taken(rank, most_edges, edge).pieces);
  }
  channel_to_all_.push_back(std::move(to_all));
  for (const auto& [source, edge] : incoming) {
    own_.push_back({.source = source == rank ? rank : kNobody, .edge = edge});
    Tap& own = taps_.emplace_back();
    Tap& of_all = taps_of_all_.emplace_back();
    if (source == kNobody || source == rank) continue;
    own = {.places = places(source, edge), .taken = &taken(source, edge, edge).pieces};
    of_all = {.places = places(source, most_edges),
              .taken = &taken(source, most_edges, edge).pieces};
  }
}

bool Edges::Channel::has_place() {
  if (written < least_taken + kPlaces) return true;
  least_taken = written;
  for (const auto* each : taken) {
    least_taken = std::min(least_taken, each->load(std::memory_order_acquire));
  }
  return written < least_taken + kPlaces;
}

// As much as there are places for; whether that was something.
bool Edges::Channel::push(const Sent& sent) {
  bool any = false;
  while (open && has_place()) {
    Head& head = places.head(written);
    const std::size_t now = std::min(places.piece_bytes, sent.bytes - done);
    std::byte* const to = sent.bytes <= Head::kBytes ? head.data : Places::data(head);
    if (now == 8) {
      std::memcpy(to, sent.data, 8);
    } else if (now > 0) {
      std::memcpy(to, sent.data + done, now);
    }
    head.total = sent.bytes;
    head.piece.store(++written, std::memory_order_release);
    done += now;
    open = done < sent.bytes;
    any = true;
  }
  return any;
}

// As much as has come; whether that was something.
bool Edges::Tap::pull(Received& received) {
  bool any = false;
  while (open) {
    Head& head = places.head(read);
    if (head.piece.load(std::memory_order_acquire) != read + 1) break;
    const std::size_t total = head.total;
    const std::size_t now = std::min(places.piece_bytes, total - done);
    const std::size_t wanted = received.room > done ? std::min(now, received.room - done) : 0;
    const std::byte* const from = total <= Head::kBytes ? head.data : Places::data(head);
    if (wanted == 8) {
      std::memcpy(received.data + done, from, 8);
    } else if (wanted > 0) {
      copy_routine_for(2 * total)(received.data + done, from, wanted);
    }
    taken->store(++read, std::memory_order_release);
    done += now;
    open = done < total;
    received.bytes = total;
    any = true;
  }
  return any;
}

template <typename SentOn>
void Edges::move(Node& node, std::vector<Channel>& channels, std::vector<Tap>& taps,
                 const SentOn& sent_on, Received* received) {
  node.tell();
  std::size_t open = 0;
  const auto begin = [&](auto& end, bool used) {
    end.done = 0;
    end.open = used;
    open += used ? 1 : 0;
  };
  for (Channel& each : channels) begin(each, !each.taken.empty());
  for (Tap& each : taps) begin(each, each.taken != nullptr);
  for (int polls = 0; open > 0;) {
    bool any = false;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      if (!channels[i].open || !channels[i].push(sent_on(i))) continue;
      any = true;
      open -= channels[i].open ? 0 : 1;
    }
    for (std::size_t i = 0; i < taps.size(); ++i) {
      if (!taps[i].open || !taps[i].pull(received[i])) continue;
      any = true;
      open -= taps[i].open ? 0 : 1;
    }
    if (any) {
      polls = 0;
    } else {
      node.pass_time(polls++);
    }
  }
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (own_[i].source == kNobody) continue;
    const Sent& sent = sent_on(own_[i].edge);
    received[i].bytes = sent.bytes;
    const std::size_t bytes = std::min(sent.bytes, received[i].room);
    if (bytes > 0) copy_routine_for(2 * bytes)(received[i].data, sent.data, bytes);
  }
}

void Edges::exchange(Node& node, const Sent* sent, Received* received) {
  const auto sent_on = [&](std::size_t edge) -> const Sent& { return sent[edge]; };
  move(node, channels_, taps_, sent_on, received);
}

void Edges::spread(Node& node, const Sent& sent, Received* received) {
  const auto sent_on = [&](std::size_t) -> const Sent& { return sent; };
  move(node, channel_to_all_, taps_of_all_, sent_on, received);
}

}  // namespace leadline::node
