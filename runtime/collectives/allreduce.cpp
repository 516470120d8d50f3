#include "algorithms/collectives/allreduce/allreduce.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

template <>
inline constexpr bool kReduces<coll::Allreduce> = true;

namespace {

Weight weigh(const Adopted& adopted, const void* in, void* out, int count, MPI_Datatype type,
             MPI_Op op, MPI_Comm) {
  if (in == out) return {.doubt = "same buffer twice"};
  return weigh_operands(adopted, in == MPI_IN_PLACE ? out : in, count, type, op);
}

const Replacement<coll::Allreduce, weigh> replacement{"allreduce", "MPI_Allreduce"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Allreduce, weigh>, decltype(MPI_Allreduce_c)> large{
    "MPI_Allreduce_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
