#include "algorithms/collectives/neighbor_alltoall/neighbor_alltoall.hpp"

#include "runtime/engine/edges.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {
namespace {

Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type, void* out,
             int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  return weigh_edges(adopted, in, in_count, in_type, out, out_count, out_type, comm);
}

const Replacement<coll::NeighborAlltoall, weigh> replacement{"neighbor_alltoall",
                                                             "MPI_Neighbor_alltoall"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::NeighborAlltoall, weigh>, decltype(MPI_Neighbor_alltoall_c)>
    large{"MPI_Neighbor_alltoall_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
