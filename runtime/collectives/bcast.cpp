#include "algorithms/collectives/bcast/bcast.hpp"

#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {
namespace {

CallInfo inspect(const CommunicatorState& state, void* data, int count, MPI_Datatype type, int root,
                 MPI_Comm) {
  if (root < 0 || root >= state.size()) return decline("root");
  return inspect_data(state, data, count, type);
}

LEADLINE_REPLACES(Bcast, "bcast", Bcast)

}  // namespace
}  // namespace leadline::runtime
