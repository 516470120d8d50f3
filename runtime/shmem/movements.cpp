// broadcast, collect, fcollect and alltoall (OpenSHMEM 1.4, sections 9.9.5, 9.9.6 and 9.9.8).
#include "algorithms/shared/node_collectives.hpp"
#include "runtime/shmem/entries.hpp"
#include "runtime/shmem/movement.hpp"

namespace leadline {
namespace {

template <std::size_t element_bytes>
struct Broadcast {
  using Function = void(void*, const void*, std::size_t, int, int, int, int, long*);
  static void call(void* target, const void* source, std::size_t count, int root, int start,
                   int log_stride, int size, long* sync) {
    Group* const group = Group::of({.start = start, .log_stride = log_stride, .size = size});
    const std::size_t bytes = count * element_bytes;
    if (group == nullptr || bytes == 0 || root < 0 || root >= size ||
        !group->takes(Collective::kBroadcast, bytes)) {
      return library_function<Broadcast>(target, source, count, root, start, log_stride, size,
                                         sync);
    }
    group_broadcast(*group, source, target, bytes, root);
  }
};

template <std::size_t element_bytes>
struct Fcollect {
  using Function = void(void*, const void*, std::size_t, int, int, int, long*);
  static void call(void* target, const void* source, std::size_t count, int start, int log_stride,
                   int size, long* sync) {
    Group* const group = Group::of({.start = start, .log_stride = log_stride, .size = size});
    const std::size_t bytes = count * element_bytes;
    if (group == nullptr || bytes == 0 || !group->takes(Collective::kCollect, bytes) ||
        overlap(source, bytes, target, bytes * static_cast<std::size_t>(size))) {
      return library_function<Fcollect>(target, source, count, start, log_stride, size, sync);
    }
    group_allgather(*group, source, target, bytes);
  }
};

template <std::size_t element_bytes>
struct Collect {
  using Function = void(void*, const void*, std::size_t, int, int, int, long*);
  static void call(void* target, const void* source, std::size_t count, int start, int log_stride,
                   int size, long* sync) {
    Group* const group = Group::of({.start = start, .log_stride = log_stride, .size = size});
    // Whether the profile takes it depends on what other PEs bring.
    if (group == nullptr || !group->takes_any(Collective::kCollect) ||
        !group_collect(*group, source, target, count * element_bytes)) {
      library_function<Collect>(target, source, count, start, log_stride, size, sync);
    }
  }
};

template <std::size_t element_bytes>
struct Alltoall {
  using Function = void(void*, const void*, std::size_t, int, int, int, long*);
  static void call(void* target, const void* source, std::size_t count, int start, int log_stride,
                   int size, long* sync) {
    Group* const group = Group::of({.start = start, .log_stride = log_stride, .size = size});
    const std::size_t bytes = count * element_bytes;
    const std::size_t all = bytes * static_cast<std::size_t>(size);
    if (group == nullptr || bytes == 0 || !group->takes(Collective::kAlltoall, bytes) ||
        !holds_pieces_for(group->node(), size) || overlap(source, all, target, all)) {
      return library_function<Alltoall>(target, source, count, start, log_stride, size, sync);
    }
    group_alltoall(*group, source, target, bytes);
  }
};

const Interception broadcast32 = intercept<Broadcast<4>>("shmem_broadcast32");
const Interception broadcast64 = intercept<Broadcast<8>>("shmem_broadcast64");
const Interception fcollect32 = intercept<Fcollect<4>>("shmem_fcollect32");
const Interception fcollect64 = intercept<Fcollect<8>>("shmem_fcollect64");
const Interception collect32 = intercept<Collect<4>>("shmem_collect32");
const Interception collect64 = intercept<Collect<8>>("shmem_collect64");
const Interception alltoall32 = intercept<Alltoall<4>>("shmem_alltoall32");
const Interception alltoall64 = intercept<Alltoall<8>>("shmem_alltoall64");

}  // namespace
}  // namespace leadline
