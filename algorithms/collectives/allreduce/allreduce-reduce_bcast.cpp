// The binomial reduce to rank 0, and the binomial broadcast of its result: 2 ceil(log2(P)) steps,
// but only 2 (P-1) messages in all.
#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/reduce/reduce.hpp"

namespace leadline::coll {
namespace {

int allreduce_reduce_bcast(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm) {
  int rank = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  // Only the root of a reduction may say MPI_IN_PLACE.
  const void* operand = in == MPI_IN_PLACE && rank != 0 ? out : in;
  RETURN_IF_FAILED(reduce_binomial(operand, out, count, type, op, 0, comm));
  return bcast_binomial(out, count, type, 0, comm);
}

const AllreduceAlgorithm reduce_bcast{
    "reduce_bcast", "binomial reduce and binomial broadcast, 2 (P-1) messages in all",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    allreduce_reduce_bcast};

}  // namespace
}  // namespace leadline::coll
