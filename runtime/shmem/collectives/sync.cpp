#include "runtime/shmem/barriers.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_sync"};
const Replacement<OfSet<collective, false>> sync{"shmem_sync"};

}  // namespace
}  // namespace leadline::runtime
