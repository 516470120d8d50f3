// OpenSHMEM 1.4, section 9.9.8.
#include "algorithms/node/node_collectives.hpp"
#include "runtime/shmem/movement.hpp"
#include "runtime/shmem/replacement.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_alltoall"};

template <std::size_t element_bytes>
struct Alltoall {
  using Function = void(void*, const void*, std::size_t, int, int, int, long*);
  static Decision decide(void* target, const void* source, std::size_t count, int start,
                         int log_stride, int size, long*) {
    const ActiveSet set{.start = start, .log_stride = log_stride, .size = size};
    const std::size_t bytes = count * element_bytes;
    const std::size_t all = bytes * static_cast<std::size_t>(size);
    Decision decision = decide_on_data(collective, set, bytes);
    if (overlap(source, all, target, all)) decision.decline_reason = "source and target overlap";
    if (count == 0) decision.decline_reason = "no data";
    if (decision.decline_reason == nullptr &&
        !node::holds_pieces_for(decision.group->node(), size)) {
      decision.decline_reason = "too many ranks for a slot";
    }
    return decision;
  }
  static void carry_out(const Decision& decision, void* target, const void* source, std::size_t,
                        int, int, int, long*) {
    group_alltoall(*decision.group, source, target, decision.bytes);
  }
};

const Replacement<Alltoall<4>> alltoall32{"shmem_alltoall32"};
const Replacement<Alltoall<8>> alltoall64{"shmem_alltoall64"};

}  // namespace
}  // namespace leadline::runtime
