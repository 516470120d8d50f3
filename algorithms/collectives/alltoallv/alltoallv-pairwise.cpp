// P-1 steps in which each rank sends to one and receives from one, where blocks are not empty. In
// place, pairs exchange blocks: the pairs of step k are those whose ranks add up to k modulo P.
#include "algorithms/collectives/alltoallv/alltoallv.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

int exchange_in_place(const Shape& shape, void* out, const int* counts, const int* offsets,
                      MPI_Datatype type, MPI_Comm comm) {
  const auto& [rank, size, element] = shape;
  for (int step = 0; step < size; ++step) {
    const int other = (step + size - rank) % size;
    // Both know the size of a block in place.
    if (other == rank || counts[other] == 0) continue;
    RETURN_IF_FAILED(PMPI_Sendrecv_replace(element.at(out, offsets[other]), counts[other], type,
                                           other, kAlgorithmTag, other, kAlgorithmTag, comm,
                                           MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

int alltoallv_pairwise(const void* in, const int* in_counts, const int* in_offsets,
                       MPI_Datatype in_type, void* out, const int* out_counts,
                       const int* out_offsets, MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(1, out_type, comm));
  if (in == MPI_IN_PLACE) {
    return exchange_in_place(shape, out, out_counts, out_offsets, out_type, comm);
  }
  const auto& [rank, size, received] = shape;
  Elements sent;
  RETURN_IF_FAILED(describe_elements(1, in_type, sent));
  // Step 0 is the rank's own block.
  for (int step = 0; step < size; ++step) {
    const int receiver = (rank + step) % size;
    const int sender = (rank + size - step) % size;
    const bool sends = in_counts[receiver] > 0 && sent.data > 0;
    const bool receives = out_counts[sender] > 0 && received.data > 0;
    if (!sends && !receives) continue;
    RETURN_IF_FAILED(PMPI_Sendrecv(sent.at(in, in_offsets[receiver]), in_counts[receiver], in_type,
                                   sends ? receiver : MPI_PROC_NULL, kAlgorithmTag,
                                   received.at(out, out_offsets[sender]), out_counts[sender],
                                   out_type, receives ? sender : MPI_PROC_NULL, kAlgorithmTag, comm,
                                   MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

const AlltoallvAlgorithm pairwise{
    "pairwise", "P-1 steps, each rank sends a block to one and receives one from one",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    alltoallv_pairwise};

}  // namespace
}  // namespace leadline::coll
