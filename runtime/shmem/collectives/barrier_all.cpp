#include "runtime/shmem/barriers.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_barrier_all"};
const Replacement<OfAll<collective, true>> barrier_all{"shmem_barrier_all"};

}  // namespace
}  // namespace leadline::runtime
