#include "algorithms/collectives/allgather/allgather.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {
namespace {

Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type, void* out,
             int out_count, MPI_Datatype out_type, MPI_Comm) {
  const Weight weight = weigh_blocks(adopted, in, in_count, in_type, out, out_count, out_type);
  if (weight.doubt != nullptr || in == MPI_IN_PLACE) return weight;
  // Both are wrong, and the first rank cannot tell which of them the others do. Elements of other
  // types may lie between, on this rank alone.
  const bool same = in == out || in == own_block(adopted, out, out_count, out_type);
  if (same && in_type == out_type) return {.doubt = "same buffer twice"};
  return weight;
}

const Replacement<coll::Allgather, weigh> replacement{"allgather", "MPI_Allgather"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Allgather, weigh>, decltype(MPI_Allgather_c)> large{
    "MPI_Allgather_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
