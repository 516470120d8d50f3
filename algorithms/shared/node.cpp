#include "algorithms/shared/node.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/settings.hpp"

namespace leadline {
namespace {

// Polls before a waiting rank gives its core to another one: some 20 us, longer than any collective
// of ranks that are all there; hardly any when others need the core to get there.
constexpr int kPatience = 2000;
constexpr int kPatienceCrowded = 20;

static_assert(Cell::kBytes <= kLeastSlotBytes);

// A large ring holds more than a core's own caches, so that a slot has left them when its turn
// comes again. Only the first communicators, which are those in use, have one; and where a program
// has made very many, further ones get little, so that memory lasts.
enum Room : int { kLittle, kUsual, kLarge };
constexpr int kMostLarge = 8;
constexpr int kMostUsual = 64;
constexpr std::size_t kLittleSlot = 4 << 10;
constexpr std::size_t kMostInLargeRings = std::size_t{64} << 20;
std::atomic<int> nodes_alive{0};

std::size_t large_ring_bytes() {
  long cache = -1;
#ifdef _SC_LEVEL2_CACHE_SIZE
  cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  constexpr long kLeast = 512 << 10;
  constexpr long kMost = 2 << 20;
  return 2 * static_cast<std::size_t>(std::clamp(cache, kLeast, kMost));
}

Room room_for(int size) {
  const int alive = nodes_alive.load();
  if (alive >= kMostUsual) return kLittle;
  const bool fits = large_ring_bytes() * static_cast<std::size_t>(size) <= kMostInLargeRings;
  return alive < kMostLarge && fits ? kLarge : kUsual;
}

}  // namespace

// What ranks must agree on.
struct Node::Survey {
  bool crowded = false;  // a node has more ranks than cores
  std::size_t slot_bytes = 0;
  std::size_t ring_bytes = 0;

  static int take(MPI_Comm ranks, MPI_Comm comm, Survey& survey) {
    int size = 0;
    RETURN_IF_FAILED(PMPI_Comm_size(ranks, &size));
    cpu_set_t mine;
    cpu_set_t all;
    CPU_ZERO(&mine);
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof mine, &mine);
    RETURN_IF_FAILED(PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, ranks));
    survey.crowded = CPU_COUNT(&all) < size;

    int room = room_for(size);
    RETURN_IF_FAILED(PMPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_INT, MPI_MIN, comm));
    const std::size_t usual_slot = settings().slot_bytes;
    survey.slot_bytes = room == kLittle ? std::min(kLittleSlot, usual_slot) : usual_slot;
    survey.ring_bytes = Ring::kLeastSlots * survey.slot_bytes;
    if (room == kLarge) survey.ring_bytes = std::max(survey.ring_bytes, large_ring_bytes());
    return MPI_SUCCESS;
  }
};

int Node::create(MPI_Comm ranks, MPI_Comm comm, std::unique_ptr<Node>& node) {
  int rank = 0;
  int size = 0;
  Survey survey;
  Segment segment;
  RETURN_IF_FAILED(PMPI_Comm_rank(ranks, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(ranks, &size));
  RETURN_IF_FAILED(Survey::take(ranks, comm, survey));
  RETURN_IF_FAILED(Segment::map(ranks, sizeof(Area) + survey.ring_bytes, segment));
  if (!segment.empty()) node.reset(new Node(std::move(segment), rank, size, survey, comm));
  return MPI_SUCCESS;
}

Node::Node(Segment segment, int rank, int size, const Survey& survey, MPI_Comm comm)
    : segment_(std::move(segment)),
      rank_(rank),
      size_(size),
      patience_(survey.crowded ? kPatienceCrowded : kPatience),
      slot_bytes_(survey.slot_bytes),
      ring_(survey.ring_bytes),
      comm_(comm) {
  ++nodes_alive;
  // Pages come to be now, in this rank's own memory, and not in the first collectives.
  std::memset(reinterpret_cast<std::byte*>(&area(rank_)) + sizeof(Area), 0, survey.ring_bytes);
}

Node::~Node() { --nodes_alive; }

// The rank that is waited for may itself wait for a message of this rank, sent before and not yet
// delivered: MPI promises that it arrives, so a waiting rank must let the library work. It does so
// rarely at first, since it costs what a short collective takes.
void Node::give_way(int times) {
  constexpr int kYieldsPerProbe = 8;
  if (times % kYieldsPerProbe == 0) {
    int found = 0;
    const int code = PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE);
    if (error_ == MPI_SUCCESS) error_ = code;
  }
  sched_yield();
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

}  // namespace leadline
