#include "algorithms/collectives/allgather/allgather.hpp"

#include "runtime/engine/large_counts.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {
namespace {

const void* own_block(const Adopted& adopted, const void* out, int count, MPI_Datatype type) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  if (PMPI_Type_get_extent(type, &lower_bound, &extent) != MPI_SUCCESS) return out;
  return static_cast<const std::byte*>(out) + MPI_Aint{adopted.rank()} * count * extent;
}

Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type, void* out,
             int out_count, MPI_Datatype out_type, MPI_Comm) {
  const Weight weight = weigh_blocks(adopted, in, in_count, in_type, out, out_count, out_type);
  if (weight.doubt != nullptr || in == MPI_IN_PLACE) return weight;
  // Both are wrong, and the first rank cannot tell which of them the others do.
  if (in == out || in == own_block(adopted, out, out_count, out_type)) {
    return {.doubt = "same buffer twice"};
  }
  return weight;
}

const Replacement<coll::Allgather, weigh> replacement{"allgather", "MPI_Allgather"};
#if MPI_VERSION >= 4
const LargeCounts<Replacement<coll::Allgather, weigh>, decltype(MPI_Allgather_c)> large{
    "MPI_Allgather_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
