// The PEs of this node, and the memory that they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/node/segment.hpp"
#include "algorithms/node/survey.hpp"

namespace leadline::runtime {

// Active sets that have areas of the shared memory, in the order in which they got them. The memory
// is zero at first.
struct Sets {
  static constexpr int kMost = 16;

  std::atomic<std::uint32_t> taken;
  std::atomic<std::uint64_t> keys[kMost];  // of active sets; 0 where an area is not given away yet
};

class NodePes {
 public:
  // Collective over all PEs, after the library has been initialised. nullptr on all PEs of a node
  // whose PEs cannot share memory, or did not agree on the profile and the settings.
  static std::unique_ptr<NodePes> meet(bool several_threads);

  int pe() const { return pe_; }
  int pes() const { return pes_; }
  // All PEs of the job are on this node.
  bool all() const { return static_cast<int>(members_.size()) == pes_; }
  // The number of a PE among those of this node; -1 where it is on another one.
  int number_of(int pe) const;

  // What a node of all these PEs, and one of an active set, agree on.
  const node::Survey& survey_of_all() const { return survey_of_all_; }
  const node::Survey& survey_of_set() const { return survey_of_set_; }
  std::byte* area_of_all(int number) const;
  std::byte* area_of_set(int set, int number) const;
  Sets& sets() const { return *reinterpret_cast<Sets*>(memory_.of(0)); }

  // Where the heap of a PE begins, as this PE sees it. The offset of an object from it is the same
  // on all PEs.
  std::byte* heap_of(int number) const { return heaps_[static_cast<std::size_t>(number)]; }

 private:
  struct Facts;

  NodePes();
  Facts facts(bool several_threads) const;
  bool agree(const Facts& own);
  bool map_memory(const char* name);
  std::size_t bytes_per_pe() const;
  const Facts& facts_of(std::size_t number) const;

  int pe_ = 0;
  int pes_ = 0;
  int number_ = 0;
  std::vector<int> members_;
  std::vector<std::byte*> heaps_;
  node::Survey survey_of_all_;
  node::Survey survey_of_set_;
  node::Segment memory_;
};

}  // namespace leadline::runtime
