// The collectives of a group on symmetric objects. All PEs of the group call the same ones in the
// same order, with the same sizes, which are not zero. What `out` holds and `in` must not overlap,
// unless said otherwise.
#pragma once

#include <cstddef>

#include "algorithms/shared/reducer.hpp"
#include "runtime/shmem/group.hpp"

namespace leadline {

// From `in` of the root to `out` of all others.
void group_broadcast(Group& group, const void* in, void* out, std::size_t bytes, int root);

// `in` may be `out`.
void group_allreduce(Group& group, Reducer& reducer, const void* in, void* out, std::size_t bytes);

// One block from each PE to all.
void group_allgather(Group& group, const void* in, void* out, std::size_t bytes_per_block);
// The same with as many bytes from each PE as that one says, which may be none. False where nothing
// has been moved, on all PEs: they do not reach one another's objects, or the profile leaves so
// much to the library.
bool group_collect(Group& group, const void* in, void* out, std::size_t bytes);

// One block from each PE to each other.
void group_alltoall(Group& group, const void* in, void* out, std::size_t bytes_per_block);

}  // namespace leadline
