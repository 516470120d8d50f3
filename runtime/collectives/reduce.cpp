#include "algorithms/collectives/reduce/reduce.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

template <>
inline constexpr bool kReduces<coll::Reduce> = true;

namespace {

Weight weigh(const Adopted& adopted, const void* in, void* out, int count, MPI_Datatype type,
             MPI_Op op, int root, MPI_Comm) {
  if (root < 0 || root >= adopted.size()) return {.doubt = "root"};
  const bool is_root = adopted.rank() == root;
  if (is_root && (in == out || out == nullptr)) return {.doubt = "receive buffer"};
  if (!is_root && in == MPI_IN_PLACE) return {.doubt = "in place"};
  return weigh_operands(adopted, in == MPI_IN_PLACE ? out : in, count, type, op);
}

const Replacement<coll::Reduce, weigh> replacement{"reduce", "MPI_Reduce"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Reduce, weigh>, decltype(MPI_Reduce_c)> large{"MPI_Reduce_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
