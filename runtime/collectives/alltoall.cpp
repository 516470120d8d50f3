#include "algorithms/collectives/alltoall/alltoall.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {
namespace {

Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type, void* out,
             int out_count, MPI_Datatype out_type, MPI_Comm) {
  const Weight weight = weigh_blocks(adopted, in, in_count, in_type, out, out_count, out_type);
  if (weight.doubt != nullptr || in == MPI_IN_PLACE) return weight;
  // Elements of other types may lie between, on this rank alone.
  if (in == out && in_type == out_type) return {.doubt = "same buffer twice"};
  return weight;
}

const Replacement<coll::Alltoall, weigh> replacement{"alltoall", "MPI_Alltoall"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Alltoall, weigh>, decltype(MPI_Alltoall_c)> large{
    "MPI_Alltoall_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
