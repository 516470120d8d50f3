// OpenSHMEM 1.4, section 9.9.9: an alltoall of blocks whose elements lie apart. They are brought
// together, exchanged, and spread again.
#include <cstddef>
#include <cstring>
#include <vector>

#include "algorithms/node/node_collectives.hpp"
#include "runtime/shmem/movement.hpp"
#include "runtime/shmem/replacement.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_alltoalls"};

// Elements of which each lies `stride` elements after the one before, through all blocks.
template <std::size_t element_bytes>
void gather_elements(const void* from, std::ptrdiff_t stride, std::size_t count, std::byte* to) {
  const auto step = static_cast<std::size_t>(stride) * element_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to + i * element_bytes, static_cast<const std::byte*>(from) + i * step,
                element_bytes);
  }
}

template <std::size_t element_bytes>
void spread_elements(const std::byte* from, void* to, std::ptrdiff_t stride, std::size_t count) {
  const auto step = static_cast<std::size_t>(stride) * element_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<std::byte*>(to) + i * step, from + i * element_bytes, element_bytes);
  }
}

template <std::size_t element_bytes>
struct Alltoalls {
  using Function = void(void*, const void*, std::ptrdiff_t, std::ptrdiff_t, std::size_t, int, int,
                        int, long*);
  static Decision decide(void* target, const void* source, std::ptrdiff_t target_stride,
                         std::ptrdiff_t source_stride, std::size_t count, int start, int log_stride,
                         int size, long*) {
    const ActiveSet set{.start = start, .log_stride = log_stride, .size = size};
    const std::size_t bytes = count * element_bytes;
    Decision decision = decide_on_data(collective, set, bytes);
    if (target_stride < 1 || source_stride < 1) {
      decision.decline_reason = "stride below 1";
      return decision;
    }
    const std::size_t all = bytes * static_cast<std::size_t>(size);
    if (overlap(source, all * static_cast<std::size_t>(source_stride), target,
                all * static_cast<std::size_t>(target_stride))) {
      decision.decline_reason = "source and target overlap";
    }
    if (count == 0) decision.decline_reason = "no data";
    if (decision.decline_reason == nullptr &&
        !node::holds_pieces_for(decision.group->node(), size)) {
      decision.decline_reason = "too many ranks for a slot";
    }
    return decision;
  }
  static void carry_out(const Decision& decision, void* target, const void* source,
                        std::ptrdiff_t target_stride, std::ptrdiff_t source_stride,
                        std::size_t count, int, int, int size, long*) {
    static std::vector<std::byte> room;
    const std::size_t elements = count * static_cast<std::size_t>(size);
    const std::size_t all = elements * element_bytes;
    if (room.size() < 2 * all) room.resize(2 * all);
    const void* in = source;
    void* out = target;
    if (source_stride > 1) {
      gather_elements<element_bytes>(source, source_stride, elements, room.data());
      in = room.data();
    }
    if (target_stride > 1) out = room.data() + all;
    // Through slots: the room is not in the symmetric heap.
    node::alltoall(decision.group->node(), in, out, decision.bytes);
    if (target_stride > 1) {
      spread_elements<element_bytes>(room.data() + all, target, target_stride, elements);
    }
  }
};

const Replacement<Alltoalls<4>> alltoalls32{"shmem_alltoalls32"};
const Replacement<Alltoalls<8>> alltoalls64{"shmem_alltoalls64"};

}  // namespace
}  // namespace leadline::runtime
