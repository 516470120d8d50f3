#include "algorithms/collectives/neighbor_allgather/neighbor_allgather.hpp"

#include "runtime/engine/edges.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {
namespace {

Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type, void* out,
             int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return weigh_edges(adopted, in, in_count, in_type, out, out_count, out_type, comm);
}

const Replacement<coll::NeighborAllgather, weigh> replacement{"neighbor_allgather",
                                                              "MPI_Neighbor_allgather"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::NeighborAllgather, weigh>, decltype(MPI_Neighbor_allgather_c)>
    large{"MPI_Neighbor_allgather_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
