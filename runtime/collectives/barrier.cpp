#include "algorithms/barrier/barrier.hpp"

#include "runtime/engine/replacement.hpp"

namespace leadline {
namespace {

Barrier::Function barrier;
const Replacement<Barrier> replacement{"barrier", "MPI_Barrier", barrier};

int barrier(MPI_Comm comm) {
  return replacement.carry_out(comm, [](const Adopted&) { return Weight{}; });
}

}  // namespace
}  // namespace leadline
