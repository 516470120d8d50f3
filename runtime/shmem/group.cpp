#include "runtime/shmem/group.hpp"

#include <sched.h>
#include <shmem.h>

#include <map>
#include <utility>

#include "algorithms/node/open_mpi.hpp"

namespace leadline::runtime {
namespace {

// What the library does for other PEs, such as atomics that this PE carries out for them, it does
// in calls. OpenSHMEM has none for that alone.
class ProgressOfLibrary final : public node::Progress {
 public:
  int make() override {
    if (node::is_open_mpi()) {
      node::progress_by_open_mpi();
    } else {
      shmem_quiet();
    }
    return 0;
  }
  int make_at_once() override {
    if (!node::is_open_mpi()) return make();
    node::progress_by_open_mpi_at_once();
    return 0;
  }
};

std::unique_ptr<NodePes> node_pes;
bool threads = false;  // several, which may call at once
constexpr int kNoArea = -1;

std::uint64_t key_of(const ActiveSet& set) {
  return (static_cast<std::uint64_t>(set.start) + 1) << 37 |
         static_cast<std::uint64_t>(set.log_stride) << 32 | static_cast<std::uint32_t>(set.size);
}

bool is_sound(const ActiveSet& set, int pes) {
  if (set.start < 0 || set.log_stride < 0 || set.log_stride > 30 || set.size < 2) return false;
  const std::int64_t last = set.start + (static_cast<std::int64_t>(set.size - 1) << set.log_stride);
  return last < pes;
}

int pe_of(const ActiveSet& set, int rank) { return set.start + (rank << set.log_stride); }

int rank_in(const ActiveSet& set, int pe) {
  const int distance = pe - set.start;
  const int rank = distance >> set.log_stride;
  return distance >= 0 && rank << set.log_stride == distance && rank < set.size ? rank : -1;
}

// The set's first PE takes an area; the others look which. All PEs of the set come to the same
// answer: once all areas are given away, no set can get one any more.
int area_for(const ActiveSet& set, bool first) {
  Sets& sets = node_pes->sets();
  const std::uint64_t key = key_of(set);
  if (first) {
    const std::uint32_t area = sets.taken.fetch_add(1, std::memory_order_relaxed);
    if (area >= Sets::kMost) return kNoArea;
    sets.keys[area].store(key, std::memory_order_release);
    return static_cast<int>(area);
  }
  ProgressOfLibrary progress;
  while (true) {
    int given = 0;
    for (int area = 0; area < Sets::kMost; ++area) {
      const std::uint64_t other = sets.keys[area].load(std::memory_order_acquire);
      if (other == key) return area;
      given += other != 0 ? 1 : 0;
    }
    if (given == Sets::kMost) return kNoArea;
    progress.make();
    sched_yield();
  }
}

node::Segment memory_of(const ActiveSet& set, int area) {
  std::vector<std::byte*> parts;
  for (int rank = 0; rank < set.size; ++rank) {
    const int number = node_pes->number_of(pe_of(set, rank));
    parts.push_back(area == kNoArea ? node_pes->area_of_all(number)
                                    : node_pes->area_of_set(area, number));
  }
  return node::Segment(std::move(parts));
}

}  // namespace

Group* Group::all_ = nullptr;

void Group::start(bool several_threads) {
  threads = several_threads;
  node_pes = NodePes::meet(several_threads);
  if (node_pes == nullptr || !node_pes->all()) return;
  // Kept until the process ends, as the library may be finalised in many ways.
  all_ = new Group(*node_pes, {.start = 0, .log_stride = 0, .size = node_pes->pes()}, kNoArea);
}

Group* Group::of(const ActiveSet& set) {
  if (node_pes == nullptr || !is_sound(set, node_pes->pes())) return nullptr;
  if (all_ != nullptr && set.size == all_->size()) return all_;
  static std::map<std::uint64_t, std::unique_ptr<Group>> known;
  const auto [place, is_new] = known.try_emplace(key_of(set));
  if (!is_new) return place->second.get();
  const int rank = rank_in(set, node_pes->pe());
  if (rank < 0) return nullptr;
  for (int other = 0; other < set.size; ++other) {
    if (node_pes->number_of(pe_of(set, other)) < 0) return nullptr;
  }
  const int area = area_for(set, rank == 0);
  if (area != kNoArea) place->second.reset(new Group(*node_pes, set, area));
  return place->second.get();
}

const char* Group::why_not(const ActiveSet& set) {
  if (profile().rules.empty()) return "no profile";
  if (set.size == 1) return "one process";
  if (threads) return "SHMEM_THREAD_MULTIPLE";
  if (node_pes == nullptr) return "no memory that is shared";
  if (!is_sound(set, node_pes->pes())) return "no active set";
  for (int rank = 0; rank < set.size; ++rank) {
    if (node_pes->number_of(pe_of(set, rank)) < 0) return "several nodes";
  }
  return "too many active sets";
}

Group::Group(const NodePes& all, const ActiveSet& set, int area) : rules_(set.size) {
  const int rank = rank_in(set, all.pe());
  const node::Survey& survey = area == kNoArea ? all.survey_of_all() : all.survey_of_set();
  node_ = std::make_unique<node::Node>(memory_of(set, area), rank, set.size, survey,
                                       std::make_unique<ProgressOfLibrary>());
  for (int other = 0; other < set.size; ++other) {
    heaps_.push_back(all.heap_of(all.number_of(pe_of(set, other))));
  }
  other_pe_ = pe_of(set, rank == 0 ? 1 : 0);
}

Group::Offset Group::offset_of(const void* object, std::size_t bytes) const {
  const std::size_t other = rank() == 0 ? 1 : 0;
  const auto* const begin = static_cast<const std::byte*>(object);
  const Offset offset = begin - heaps_[static_cast<std::size_t>(rank())];
  // Both ends: the heap may have several parts.
  for (const std::size_t at : {std::size_t{0}, bytes - 1}) {
    const void* const there = shmem_ptr(const_cast<std::byte*>(begin + at), other_pe_);
    if (there != heaps_[other] + offset + at) return kElsewhere;
  }
  return offset;
}

}  // namespace leadline::runtime
