#include "algorithms/collectives/barrier/barrier.hpp"

#include "runtime/engine/replacement.hpp"

namespace leadline {
namespace {

Weight weigh(const Adopted&, MPI_Comm) { return {}; }

const Replacement<Barrier, weigh> replacement{"barrier", "MPI_Barrier"};

}  // namespace
}  // namespace leadline
