#include "algorithms/allreduce/allreduce.hpp"

#include "runtime/engine/weigh.hpp"

namespace leadline {
namespace {

Allreduce::Function allreduce;
const Replacement<Allreduce> replacement{"allreduce", "MPI_Allreduce", allreduce};

int allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const auto weigh = [&](const Adopted&) -> Weight {
    if (in == out) return {.doubt = "same buffer twice"};
    return weigh_operands(in == MPI_IN_PLACE ? out : in, count, type, op);
  };
  return replacement.carry_out(comm, weigh, in, out, count, type, op);
}

}  // namespace
}  // namespace leadline
