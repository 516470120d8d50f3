#include "algorithms/node/persistent_collectives.hpp"
#include "runtime/persistent/init.hpp"
#include "runtime/requests/reduced.hpp"

namespace leadline::runtime {
namespace {

struct ReduceScatterBlockInit {
  // `count` elements are one block.
  static Weight weigh(const Adopted& adopted, const void* in, void* out, int count,
                      MPI_Datatype type, MPI_Op op, MPI_Comm) {
    if (in == out) return {.doubt = "same buffer twice"};
    return weigh_own_operands(adopted, in == MPI_IN_PLACE ? out : in, count, type, op);
  }
  static std::size_t given(int ranks, std::size_t bytes) {
    return node::PersistentOfBlocks::given(ranks, bytes);
  }
  static std::unique_ptr<node::Persistent> make(node::Persistent::Ranks ranks,
                                                node::Service service, std::size_t bytes,
                                                const void* in, void* out, int, MPI_Datatype type,
                                                MPI_Op op, MPI_Comm) {
    return std::make_unique<node::PersistentReduceScatterBlock<node::Reduction>>(
        std::move(ranks), std::move(service), own_reduction(type, op),
        static_cast<const std::byte*>(in == MPI_IN_PLACE ? out : in), static_cast<std::byte*>(out),
        bytes);
  }
};

using Init = PersistentInit<ReduceScatterBlockInit,
                            int(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)>;
const Init init{"reduce_scatter_block_init", "MPI_Reduce_scatter_block_init",
                "reduce_scatter_block"};
#if MPI_VERSION >= 4
const LargePersistentInit<Init, decltype(MPI_Reduce_scatter_block_init_c)> large{
    "MPI_Reduce_scatter_block_init_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
