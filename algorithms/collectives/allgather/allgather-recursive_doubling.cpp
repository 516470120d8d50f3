// In step k, each rank exchanges all blocks it has with the rank whose number differs in bit k:
// log2(P) steps.
//
// Where P is no power of two, ranks that stand for a pair take the other's block before, and send
// it all others after; the blocks of a corner's neighbours stay contiguous. Data whose bytes MPI's
// int cannot count are left to the ring.
#include "algorithms/collectives/allgather/allgather.hpp"
#include "algorithms/collectives/hypercube.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

int allgather_recursive_doubling(const void* in, int in_count, MPI_Datatype in_type, void* out,
                                 int out_count, MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(out_count, out_type, comm));
  const auto& [rank, size, block] = shape;
  if (block.data == 0) return MPI_SUCCESS;
  if (!fits_a_message(block.data * static_cast<std::size_t>(size))) {
    return allgather_ring(in, in_count, in_type, out, out_count, out_type, comm);
  }
  if (in != MPI_IN_PLACE) {
    RETURN_IF_FAILED(
        copy_data(in, in_count, in_type, block.block(out, rank), out_count, out_type, comm));
  }
  const Hypercube cube(rank, size);
  const int other = cube.other_of_pair();
  if (cube.waits()) {
    RETURN_IF_FAILED(
        PMPI_Send(block.block(out, rank), out_count, out_type, other, kAlgorithmTag, comm));
    return PMPI_Recv(out, size * out_count, out_type, other, kAlgorithmTag, comm,
                     MPI_STATUS_IGNORE);
  }
  if (cube.paired()) {
    RETURN_IF_FAILED(PMPI_Recv(block.block(out, other), out_count, out_type, other, kAlgorithmTag,
                               comm, MPI_STATUS_IGNORE));
  }
  for (int bit = 1; bit < cube.corners(); bit *= 2) {
    const int mine = cube.corner() / bit * bit;
    const int others = mine ^ bit;
    const int neighbour = cube.neighbour(bit);
    const auto elements_of = [&](int corner) {
      return (cube.first_rank(corner + bit) - cube.first_rank(corner)) * out_count;
    };
    RETURN_IF_FAILED(PMPI_Sendrecv(block.block(out, cube.first_rank(mine)), elements_of(mine),
                                   out_type, neighbour, kAlgorithmTag,
                                   block.block(out, cube.first_rank(others)), elements_of(others),
                                   out_type, neighbour, kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  if (!cube.paired()) return MPI_SUCCESS;
  return PMPI_Send(out, size * out_count, out_type, other, kAlgorithmTag, comm);
}

const AllgatherAlgorithm recursive_doubling{
    "recursive_doubling",
    "log2(P) exchanges of all blocks known so far; ranks beyond a power of two are paired",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    allgather_recursive_doubling};

}  // namespace
}  // namespace leadline::coll
