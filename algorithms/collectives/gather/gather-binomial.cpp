// Each rank collects the blocks of its subtree in a binomial tree and sends them to its parent:
// ceil(log2(P)) steps, in which small messages become fewer and longer.
//
// Data whose bytes MPI's int cannot count are left to the linear gather.
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/gather/gather.hpp"
#include "algorithms/collectives/shape.hpp"
#include "algorithms/collectives/tree.hpp"

namespace leadline::coll {
namespace {

int send_up(const BinomialTree& tree, const void* in, int in_count, MPI_Datatype in_type,
            std::size_t bytes, MPI_Comm comm) {
  if (tree.span() == 1) {
    return PMPI_Send(in, in_count, in_type, tree.parent(), kAlgorithmTag, comm);
  }
  const auto bytes_of = [&](int blocks) { return static_cast<int>(bytes) * blocks; };
  Scratch subtree;
  RETURN_IF_FAILED(subtree.allocate_bytes(bytes * static_cast<std::size_t>(tree.span())));
  RETURN_IF_FAILED(pack(in, in_count, in_type, subtree.address(), bytes, comm));
  for (long step = 1; step < tree.span(); step *= 2) {
    RETURN_IF_FAILED(PMPI_Recv(subtree.bytes() + bytes * static_cast<std::size_t>(step),
                               bytes_of(tree.child_span(step)), MPI_PACKED, tree.child(step),
                               kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  return PMPI_Send(subtree.address(), bytes_of(tree.span()), MPI_PACKED, tree.parent(),
                   kAlgorithmTag, comm);
}

// From the subtree that holds both the last rank and the first.
int receive_around_the_end(const Elements& block, void* out, int first, int blocks, int size,
                           MPI_Comm comm) {
  const std::size_t until_end = block.data * static_cast<std::size_t>(size - first);
  const std::size_t bytes = block.data * static_cast<std::size_t>(blocks);
  Scratch subtree;
  RETURN_IF_FAILED(subtree.allocate_bytes(bytes));
  RETURN_IF_FAILED(PMPI_Recv(subtree.address(), static_cast<int>(bytes), MPI_PACKED, first,
                             kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  RETURN_IF_FAILED(unpack(subtree.address(), until_end, block.block(out, first),
                          (size - first) * block.count, block.type, comm));
  return unpack(subtree.bytes() + until_end, bytes - until_end, out,
                (first + blocks - size) * block.count, block.type, comm);
}

int gather_binomial(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                    MPI_Datatype out_type, int root, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe_rooted(root, out_count, out_type, in_count, in_type, comm));
  const auto& [rank, size, block] = shape;
  if (block.data == 0) return MPI_SUCCESS;
  if (!fits_a_message(block.data * static_cast<std::size_t>(size))) {
    return gather_linear(in, in_count, in_type, out, out_count, out_type, root, comm);
  }
  const BinomialTree tree(rank, size, root);
  if (!tree.is_root()) return send_up(tree, in, in_count, in_type, block.data, comm);
  if (in != MPI_IN_PLACE) {
    RETURN_IF_FAILED(
        copy_data(in, in_count, in_type, block.block(out, rank), out_count, out_type, comm));
  }
  for (long step = 1; step < tree.span(); step *= 2) {
    const int first = tree.child(step);
    const int blocks = tree.child_span(step);
    if (first + blocks > size) {
      RETURN_IF_FAILED(receive_around_the_end(block, out, first, blocks, size, comm));
    } else {
      RETURN_IF_FAILED(PMPI_Recv(block.block(out, first), blocks * out_count, out_type, first,
                                 kAlgorithmTag, comm, MPI_STATUS_IGNORE));
    }
  }
  return MPI_SUCCESS;
}

const GatherAlgorithm binomial{
    "binomial", "subtrees of a binomial tree, ceil(log2(P)) steps",
    "Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, "
    "IJHPCA 19(1), 2005",
    gather_binomial};

}  // namespace
}  // namespace leadline::coll
