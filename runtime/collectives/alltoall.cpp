#include "algorithms/alltoall/alltoall.hpp"

#include "runtime/engine/weigh.hpp"

namespace leadline {
namespace {

Alltoall::Function alltoall;
const Replacement<Alltoall> replacement{"alltoall", "MPI_Alltoall", alltoall};

int alltoall(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
             MPI_Datatype out_type, MPI_Comm comm) {
  const auto weigh = [&](const Adopted&) -> Weight {
    if (in != MPI_IN_PLACE) {
      if (in == out) return {.doubt = "same buffer twice"};
      if (const Weight sent = weigh_data(in, in_count, in_type); sent.doubt != nullptr) return sent;
    }
    return weigh_data(out, out_count, out_type);
  };
  return replacement.carry_out(comm, weigh, in, in_count, in_type, out, out_count, out_type);
}

}  // namespace
}  // namespace leadline
