#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

template <>
inline constexpr bool kReduces<coll::ReduceScatterBlock> = true;

namespace {

Weight weigh(const Adopted& adopted, const void* in, void* out, int count, MPI_Datatype type,
             MPI_Op op, MPI_Comm) {
  if (in == out) return {.doubt = "same buffer twice"};
  return weigh_operands(adopted, in == MPI_IN_PLACE ? out : in, count, type, op);
}

const Replacement<coll::ReduceScatterBlock, weigh> replacement{"reduce_scatter_block",
                                                               "MPI_Reduce_scatter_block"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::ReduceScatterBlock, weigh>,
                  decltype(MPI_Reduce_scatter_block_c)>
    large{"MPI_Reduce_scatter_block_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
