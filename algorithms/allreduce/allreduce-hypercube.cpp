// Recursive doubling: in step k, each rank exchanges all its data with the rank whose number
// differs in bit k. log2(P) messages a rank.
//
// Where P is no power of two, the first ranks are taken in pairs until a power of two is left: the
// even one of a pair hands its data to the odd one before, and gets the result after. Neighbours
// are folded, so every corner of the hypercube holds a contiguous range of ranks, in order.
#include <bit>
#include <utility>

#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/elements.hpp"

namespace leadline {

int allreduce_hypercube(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  int commutative = 0;
  Elements elements;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  RETURN_IF_FAILED(PMPI_Op_commutative(op, &commutative));
  RETURN_IF_FAILED(describe_elements(count, type, elements));
  if (in != MPI_IN_PLACE) RETURN_IF_FAILED(copy_elements(elements, in, out, comm));
  if (size == 1 || count == 0) return MPI_SUCCESS;

  const int corners = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const int pairs = size - corners;
  const bool paired = rank < 2 * pairs;
  if (paired && rank % 2 == 0) {
    RETURN_IF_FAILED(PMPI_Send(out, count, type, rank + 1, kAlgorithmTag, comm));
    return PMPI_Recv(out, count, type, rank + 1, kAlgorithmTag, comm, MPI_STATUS_IGNORE);
  }

  Scratch scratch;
  RETURN_IF_FAILED(scratch.allocate(elements));
  void* result = out;
  void* received = scratch.address();
  if (paired) {
    RETURN_IF_FAILED(
        PMPI_Recv(received, count, type, rank - 1, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    RETURN_IF_FAILED(PMPI_Reduce_local(received, result, count, type, op));
  }
  const int corner = paired ? rank / 2 : rank - pairs;
  for (int bit = 1; bit < corners; bit <<= 1) {
    const int other = corner ^ bit;
    const int partner = other < pairs ? 2 * other + 1 : other + pairs;
    RETURN_IF_FAILED(PMPI_Sendrecv(result, count, type, partner, kAlgorithmTag, received, count,
                                   type, partner, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    if (commutative || partner < rank) {
      RETURN_IF_FAILED(PMPI_Reduce_local(received, result, count, type, op));
    } else {
      RETURN_IF_FAILED(PMPI_Reduce_local(result, received, count, type, op));
      std::swap(result, received);
    }
  }
  if (result != out) RETURN_IF_FAILED(copy_elements(elements, result, out, comm));
  if (!paired) return MPI_SUCCESS;
  return PMPI_Send(out, count, type, rank - 1, kAlgorithmTag, comm);
}

namespace {

const AllreduceAlgorithm hypercube{
    "hypercube", "recursive doubling on MPI_Sendrecv, log2(P) exchanges of all data",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    allreduce_hypercube};

}  // namespace
}  // namespace leadline
