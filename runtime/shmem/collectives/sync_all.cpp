#include "runtime/shmem/barriers.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_sync_all"};
const Replacement<OfAll<collective, false>> sync_all{"shmem_sync_all"};

}  // namespace
}  // namespace leadline::runtime
