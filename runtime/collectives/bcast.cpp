#include "algorithms/collectives/bcast/bcast.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {
namespace {

Weight weigh(const Adopted& adopted, void* data, int count, MPI_Datatype type, int root, MPI_Comm) {
  if (root < 0 || root >= adopted.size()) return {.doubt = "root"};
  return weigh_data(adopted, data, count, type);
}

const Replacement<coll::Bcast, weigh> replacement{"bcast", "MPI_Bcast"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Bcast, weigh>, decltype(MPI_Bcast_c)> large{"MPI_Bcast_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
