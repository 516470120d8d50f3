#include "runtime/shmem/barriers.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_barrier"};
const Replacement<OfSet<collective, true>> barrier{"shmem_barrier"};

}  // namespace
}  // namespace leadline::runtime
