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

const Replacement<coll::Bcast, inspect> replacement{"bcast", "MPI_Bcast"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Bcast, inspect>, decltype(MPI_Bcast_c)> large{"MPI_Bcast_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
