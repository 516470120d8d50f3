// Each rank receives the blocks of its subtree in a binomial tree and sends its children theirs:
// ceil(log2(P)) steps, in which the messages of small blocks are fewer and longer.
//
// Data whose bytes MPI's int cannot count are left to the linear scatter.
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/scatter/scatter.hpp"
#include "algorithms/collectives/shape.hpp"
#include "algorithms/collectives/tree.hpp"

namespace leadline::coll {
namespace {

int pass_down(const BinomialTree& tree, void* out, int out_count, MPI_Datatype out_type,
              std::size_t bytes, MPI_Comm comm) {
  if (tree.span() == 1) {
    return PMPI_Recv(out, out_count, out_type, tree.parent(), kAlgorithmTag, comm,
                     MPI_STATUS_IGNORE);
  }
  const auto bytes_of = [&](int blocks) { return static_cast<int>(bytes) * blocks; };
  Scratch subtree;
  RETURN_IF_FAILED(subtree.allocate_bytes(bytes * static_cast<std::size_t>(tree.span())));
  RETURN_IF_FAILED(PMPI_Recv(subtree.address(), bytes_of(tree.span()), MPI_PACKED, tree.parent(),
                             kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  for (long step = tree.largest_step(); step > 0; step /= 2) {
    RETURN_IF_FAILED(PMPI_Send(subtree.bytes() + bytes * static_cast<std::size_t>(step),
                               bytes_of(tree.child_span(step)), MPI_PACKED, tree.child(step),
                               kAlgorithmTag, comm));
  }
  return unpack(subtree.address(), bytes, out, out_count, out_type, comm);
}

// To the subtree that holds both the last rank and the first.
int send_around_the_end(const Elements& block, const void* in, int first, int blocks, int size,
                        MPI_Comm comm) {
  const std::size_t until_end = block.data * static_cast<std::size_t>(size - first);
  const std::size_t bytes = block.data * static_cast<std::size_t>(blocks);
  Scratch subtree;
  RETURN_IF_FAILED(subtree.allocate_bytes(bytes));
  RETURN_IF_FAILED(pack(block.block(in, first), (size - first) * block.count, block.type,
                        subtree.address(), until_end, comm));
  RETURN_IF_FAILED(pack(in, (first + blocks - size) * block.count, block.type,
                        subtree.bytes() + until_end, bytes - until_end, comm));
  return PMPI_Send(subtree.address(), static_cast<int>(bytes), MPI_PACKED, first, kAlgorithmTag,
                   comm);
}

int scatter_binomial(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                     MPI_Datatype out_type, int root, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe_rooted(root, in_count, in_type, out_count, out_type, comm));
  const auto& [rank, size, block] = shape;
  if (block.data == 0) return MPI_SUCCESS;
  if (!fits_a_message(block.data * static_cast<std::size_t>(size))) {
    return scatter_linear(in, in_count, in_type, out, out_count, out_type, root, comm);
  }
  const BinomialTree tree(rank, size, root);
  if (!tree.is_root()) return pass_down(tree, out, out_count, out_type, block.data, comm);
  for (long step = tree.largest_step(); step > 0; step /= 2) {
    const int first = tree.child(step);
    const int blocks = tree.child_span(step);
    if (first + blocks > size) {
      RETURN_IF_FAILED(send_around_the_end(block, in, first, blocks, size, comm));
    } else {
      RETURN_IF_FAILED(PMPI_Send(block.block(in, first), blocks * in_count, in_type, first,
                                 kAlgorithmTag, comm));
    }
  }
  if (out == MPI_IN_PLACE) return MPI_SUCCESS;
  return copy_data(block.block(in, rank), in_count, in_type, out, out_count, out_type, comm);
}

const ScatterAlgorithm binomial{
    "binomial", "subtrees of a binomial tree, ceil(log2(P)) steps",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    scatter_binomial};

}  // namespace
}  // namespace leadline::coll
