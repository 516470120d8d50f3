#include "algorithms/node/outstanding_collectives.hpp"
#include "runtime/nonblocking/start.hpp"
#include "runtime/requests/reduced.hpp"

namespace leadline::runtime {
namespace {

struct IreduceScatterBlock {
  // `count` elements are one block.
  static Weight weigh(const Adopted& adopted, const void* in, void* out, int count,
                      MPI_Datatype type, MPI_Op op, MPI_Comm) {
    if (in == out) return {.doubt = "same buffer twice"};
    return weigh_own_operands(adopted, in == MPI_IN_PLACE ? out : in, count, type, op);
  }
  static std::size_t given(int ranks, std::size_t block) {
    return static_cast<std::size_t>(ranks) * block;
  }
  static std::unique_ptr<node::Outstanding::Operation> make(int ranks, std::size_t block,
                                                            const void* in, void* out, int,
                                                            MPI_Datatype type, MPI_Op op,
                                                            MPI_Comm) {
    return std::make_unique<node::OutstandingReduceScatterBlock<node::Reduction>>(
        own_reduction(type, op), in == MPI_IN_PLACE ? out : in, out, block, ranks);
  }
};

using Start = NonblockingStart<IreduceScatterBlock,
                               int(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)>;
const Start start{"ireduce_scatter_block", "MPI_Ireduce_scatter_block", "reduce_scatter_block"};
#if MPI_VERSION >= 4
const LargeNonblockingStart<Start, decltype(MPI_Ireduce_scatter_block_c)> large{
    "MPI_Ireduce_scatter_block_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
