// OpenSHMEM 1.4, section 9.9.6.
#include "runtime/shmem/movement.hpp"
#include "runtime/shmem/replacement.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_fcollect"};

template <std::size_t element_bytes>
struct Fcollect {
  using Function = void(void*, const void*, std::size_t, int, int, int, long*);
  static Decision decide(void* target, const void* source, std::size_t count, int start,
                         int log_stride, int size, long*) {
    const ActiveSet set{.start = start, .log_stride = log_stride, .size = size};
    const std::size_t bytes = count * element_bytes;
    Decision decision = decide_on_data(collective, set, bytes);
    if (overlap(source, bytes, target, bytes * static_cast<std::size_t>(size))) {
      decision.decline_reason = "source and target overlap";
    }
    if (count == 0) decision.decline_reason = "no data";
    return decision;
  }
  static void carry_out(const Decision& decision, void* target, const void* source, std::size_t,
                        int, int, int, long*) {
    group_allgather(*decision.group, source, target, decision.bytes);
  }
};

const Replacement<Fcollect<4>> fcollect32{"shmem_fcollect32"};
const Replacement<Fcollect<8>> fcollect64{"shmem_fcollect64"};

}  // namespace
}  // namespace leadline::runtime
