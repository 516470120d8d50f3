// OpenSHMEM 1.4, section 9.9.5.
#include "runtime/shmem/movement.hpp"
#include "runtime/shmem/replacement.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_broadcast"};

template <std::size_t element_bytes>
struct Broadcast {
  using Function = void(void*, const void*, std::size_t, int, int, int, int, long*);
  static Decision decide(void*, const void*, std::size_t count, int root, int start, int log_stride,
                         int size, long*) {
    const ActiveSet set{.start = start, .log_stride = log_stride, .size = size};
    Decision decision = decide_on_data(collective, set, count * element_bytes);
    if (count == 0) decision.decline_reason = "no data";
    if (root < 0 || root >= size) decision.decline_reason = "no such root";
    return decision;
  }
  static void carry_out(const Decision& decision, void* target, const void* source, std::size_t,
                        int root, int, int, int, long*) {
    group_broadcast(*decision.group, source, target, decision.bytes, root);
  }
};

const Replacement<Broadcast<4>> broadcast32{"shmem_broadcast32"};
const Replacement<Broadcast<8>> broadcast64{"shmem_broadcast64"};

}  // namespace
}  // namespace leadline::runtime
