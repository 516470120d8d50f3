// OpenSHMEM 1.4, section 9.9.6. What is decided depends on what other PEs bring, which they tell
// first.
#include "runtime/shmem/movement.hpp"
#include "runtime/shmem/replacement.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_collect"};

template <std::size_t element_bytes>
struct Collect {
  using Function = void(void*, const void*, std::size_t, int, int, int, long*);
  static Decision decide(void* target, const void* source, std::size_t count, int start,
                         int log_stride, int size, long*) {
    const ActiveSet set{.start = start, .log_stride = log_stride, .size = size};
    Group* const group = Group::of(set);
    const std::size_t bytes = count * element_bytes;
    const bool tell = group != nullptr && group->rules().any(collective);
    if (tell) tell_shares(*group, target, bytes, shares);
    Decision decision =
        leadline::runtime::decide(collective, group, set, tell ? shares.most : bytes);
    decision.has_bytes = true;
    decision.bytes = bytes;
    if (!tell) return decision;
    // The same for all PEs.
    if (overlap(source, shares.most, target, shares.all)) {
      decision.decline_reason = "source and target overlap";
    } else if (needs_reach(shares) && !shares.reached) {
      decision.decline_reason = "outside the heap";
    }
    // There is nothing to do.
    if (shares.most == 0) decision.decline_reason = nullptr;
    return decision;
  }
  static void carry_out(const Decision& decision, void* target, const void* source, std::size_t,
                        int, int, int, long*) {
    group_collect(*decision.group, shares, source, target, decision.bytes);
  }

  // Of the call between its decision and its end. Threads have none at once: see Group.
  inline static Shares shares;
};

const Replacement<Collect<4>> collect32{"shmem_collect32"};
const Replacement<Collect<8>> collect64{"shmem_collect64"};

}  // namespace
}  // namespace leadline::runtime
