#include "algorithms/reduce/reduce.hpp"

#include "runtime/engine/weigh.hpp"

namespace leadline {
namespace {

Reduce::Function reduce;
const Replacement<Reduce> replacement{"reduce", "MPI_Reduce", reduce};

int reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  const auto weigh = [&](const Adopted& adopted) -> Weight {
    if (root < 0 || root >= adopted.size()) return {.doubt = "root"};
    const bool is_root = adopted.rank() == root;
    if (is_root && (in == out || out == nullptr)) return {.doubt = "receive buffer"};
    if (!is_root && in == MPI_IN_PLACE) return {.doubt = "in place"};
    return weigh_operands(in == MPI_IN_PLACE ? out : in, count, type, op);
  };
  return replacement.carry_out(comm, weigh, in, out, count, type, op, root);
}

}  // namespace
}  // namespace leadline
