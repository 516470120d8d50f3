// PEs of one node that carry out collectives together: all of them, or an active set.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "algorithms/node/node.hpp"
#include "runtime/shmem/node_pes.hpp"
#include "runtime/shmem/rules.hpp"

namespace leadline::runtime {

// PE_start, logPE_stride and PE_size of OpenSHMEM 1.4, section 9.9.
struct ActiveSet {
  int start;
  int log_stride;
  int size;
};

class Group {
 public:
  // The one of an active set that this PE belongs to, whose PEs all ask for it; nullptr where the
  // library must do without leadline. Cheap but for the first time.
  static Group* of(const ActiveSet& set);
  static Group* of_all() { return all_; }
  // Why a set has none.
  static const char* why_not(const ActiveSet& set);

  // Collective over all PEs, once, after the library has been initialised.
  static void start(bool several_threads);

  node::Node& node() { return *node_; }
  int rank() const { return node_->rank(); }
  int size() const { return node_->size(); }

  const Rules& rules() const { return rules_; }

  // Where a symmetric object of this PE's lies at another one of the group: an offset in the heap,
  // or kElsewhere where the PEs cannot reach it.
  using Offset = std::ptrdiff_t;
  static constexpr Offset kElsewhere = PTRDIFF_MIN;
  Offset offset_of(const void* object, std::size_t bytes) const;
  std::byte* at(int rank, Offset offset) const {
    return heaps_[static_cast<std::size_t>(rank)] + offset;
  }

 private:
  Group(const NodePes& node_pes, const ActiveSet& set, int area);

  static Group* all_;

  std::unique_ptr<node::Node> node_;
  Rules rules_;
  std::vector<std::byte*> heaps_;
  int other_pe_;  // of the group
};

}  // namespace leadline::runtime
