#include "algorithms/reduce_scatter_block/reduce_scatter_block.hpp"

#include "runtime/engine/weigh.hpp"

namespace leadline {
namespace {

ReduceScatterBlock::Function reduce_scatter_block;
const Replacement<ReduceScatterBlock> replacement{"reduce_scatter_block",
                                                  "MPI_Reduce_scatter_block", reduce_scatter_block};

int reduce_scatter_block(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
  const auto weigh = [&](const Adopted&) -> Weight {
    if (in == out) return {.doubt = "same buffer twice"};
    return weigh_operands(in == MPI_IN_PLACE ? out : in, count, type, op);
  };
  return replacement.carry_out(comm, weigh, in, out, count, type, op);
}

}  // namespace
}  // namespace leadline
