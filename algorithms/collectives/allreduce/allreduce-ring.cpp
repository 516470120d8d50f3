// Each rank owns a P-th of the data. P-1 steps around the ring reduce every part on its owner, P-1
// more bring all parts to all ranks: 2 (P-1) messages a rank, and 2 (P-1)/P of the data.
//
// With fewer elements than ranks some parts are empty, and so are their messages. The sum of a part
// begins at a rank of its own, so the order of ranks is kept only up to a rotation: non-commutative
// operations are left to recursive doubling.
#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/elements.hpp"

namespace leadline::coll {
namespace {

int allreduce_ring(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  int commutative = 0;
  RETURN_IF_FAILED(PMPI_Op_commutative(op, &commutative));
  if (!commutative) return allreduce_recursive_doubling(in, out, count, type, op, comm);
  Elements elements;
  Elements longest_part;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  RETURN_IF_FAILED(describe_elements(count, type, elements));
  RETURN_IF_FAILED(describe_elements(part_of(0, size, count).count, type, longest_part));
  if (in != MPI_IN_PLACE) RETURN_IF_FAILED(copy_elements(elements, in, out, comm));
  if (size == 1 || elements.data == 0) return MPI_SUCCESS;

  Scratch scratch;
  RETURN_IF_FAILED(scratch.allocate(longest_part));
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  // The part of the rank that is `back` places behind on the ring.
  const auto part = [&](int back) {
    return part_of((rank + size - back % size) % size, size, count);
  };

  for (int step = 1; step < size; ++step) {
    const Part sent = part(step);
    const Part reduced = part(step + 1);
    RETURN_IF_FAILED(PMPI_Sendrecv(elements.at(out, sent.first), sent.count, type, next,
                                   kAlgorithmTag, scratch.address(), reduced.count, type, previous,
                                   kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    RETURN_IF_FAILED(PMPI_Reduce_local(scratch.address(), elements.at(out, reduced.first),
                                       reduced.count, type, op));
  }
  for (int step = 0; step < size - 1; ++step) {
    const Part sent = part(step);
    const Part received = part(step + 1);
    RETURN_IF_FAILED(PMPI_Sendrecv(elements.at(out, sent.first), sent.count, type, next,
                                   kAlgorithmTag, elements.at(out, received.first), received.count,
                                   type, previous, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

const AllreduceAlgorithm ring{
    "ring",
    "reduce-scatter and allgather around a ring, 2 (P-1) exchanges of a P-th of the data; "
    "recursive doubling for operations that are not commutative",
    "Patarasuk, Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, "
    "JPDC 69(2), 2009",
    allreduce_ring};

}  // namespace
}  // namespace leadline::coll
