#include "algorithms/node/node.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "algorithms/node/domains.hpp"
#include "algorithms/node/settings.hpp"

namespace leadline::node {
namespace {

static_assert(Cell::kBytes <= kLeastSlotBytes);

std::atomic<int> nodes_alive{0};

}  // namespace

Node::Node(Segment segment, int rank, int size, const Survey& survey,
           std::unique_ptr<Progress> progress)
    : segment_(std::move(segment)),
      rank_(rank),
      size_(size),
      slot_bytes_(survey.slot_bytes),
      ring_bytes_(survey.ring_bytes),
      ring_(std::min(ring_bytes_, segment_.reserved() - sizeof(Area))),
      pace_(survey.ring_bytes),
      spread_pace_(survey.ring_bytes),
      movement_pace_(survey.ring_bytes),
      service_(std::move(progress), survey.yields_soon) {
  ++nodes_alive;
}

Node::~Node() { --nodes_alive; }

int Node::alive() { return nodes_alive.load(); }

void Node::get_acquainted() {
  acquainted_ = true;
  const Step step = begin();
  area(rank_).introduction = introduce_this_process();
  const int pretended = settings().domains;
  area(rank_).domain = pretended > 0 ? rank_ * pretended / size_ : domain_of_this_process();
  publish(step);
  bool reads_all = settings().single_copy;
  std::vector<int> domains(static_cast<std::size_t>(size_), area(rank_).domain);
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    wait_published(rank, step);
    reads_all = reads_all && can_read_memory_of(area(rank).introduction);
    domains[static_cast<std::size_t>(rank)] = area(rank).domain;
  }
  first_ranks_ = first_ranks_of_domains(domains);
  all_finished(step - 1);
  reads_others_ = agree(reads_all);
}

bool Node::agree(bool could_read) {
  const Step step = begin();
  area(rank_).published.places[step % kBanks] = could_read ? 1 : 0;
  publish(step);
  bool all = could_read;
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    wait_published(rank, step);
    all = all && area(rank).published.places[step % kBanks] == 1;
  }
  all_finished(step - 1);
  reads_others_ = reads_others_ && all;
  return all;
}

// All at once: it takes long, and in the midst of trials it would be taken for a slow way.
void Node::grow_ring() {
  whole_ring_ = true;
  if (segment_.reserve(rank_, sizeof(Area) + ring_bytes_)) ring_.grow(ring_bytes_);
}

void Node::ask_who_is_done(Step step) {
  Step least = step_;
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    const std::atomic<Step>& done = area(rank).done.step;
    Step reached = 0;
    wait([&] { return (reached = done.load(std::memory_order_acquire)) >= step; });
    least = std::min(least, reached);
  }
  finished_ = least;
}

}  // namespace leadline::node
