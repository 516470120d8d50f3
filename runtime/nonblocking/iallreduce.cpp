#include "algorithms/node/outstanding_collectives.hpp"
#include "runtime/nonblocking/start.hpp"
#include "runtime/requests/reduced.hpp"

namespace leadline::runtime {
namespace {

struct Iallreduce {
  static Weight weigh(const Adopted& adopted, const void* in, void* out, int count,
                      MPI_Datatype type, MPI_Op op, MPI_Comm) {
    if (in == out) return {.doubt = "same buffer twice"};
    return weigh_own_operands(adopted, in == MPI_IN_PLACE ? out : in, count, type, op);
  }
  static std::size_t given(int, std::size_t bytes) { return bytes; }
  static std::unique_ptr<node::Outstanding::Operation> make(int, std::size_t bytes, const void* in,
                                                            void* out, int, MPI_Datatype type,
                                                            MPI_Op op, MPI_Comm) {
    return std::make_unique<node::OutstandingAllreduce<node::Reduction>>(
        own_reduction(type, op), in == MPI_IN_PLACE ? out : in, out, bytes);
  }
};

using Start =
    NonblockingStart<Iallreduce, int(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)>;
const Start start{"iallreduce", "MPI_Iallreduce", "allreduce"};
#if MPI_VERSION >= 4
const LargeNonblockingStart<Start, decltype(MPI_Iallreduce_c)> large{"MPI_Iallreduce_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
