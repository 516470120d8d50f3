#include "algorithms/collectives/exscan/exscan.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

template <>
inline constexpr bool kReduces<coll::Exscan> = true;

namespace {

// The first rank gets nothing, whatever it gives for the result.
Weight weigh(const Adopted& adopted, const void* in, void* out, int count, MPI_Datatype type,
             MPI_Op op, MPI_Comm) {
  if (in == out && adopted.rank() > 0) return {.doubt = "same buffer twice"};
  return weigh_operands(adopted, in == MPI_IN_PLACE ? out : in, count, type, op);
}

const Replacement<coll::Exscan, weigh> replacement{"exscan", "MPI_Exscan"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Exscan, weigh>, decltype(MPI_Exscan_c)> large{"MPI_Exscan_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
