// Reductions of a node's ranks with operations and datatypes that leadline has no kernels for.
//
// Operands are handed over as packed bytes. The library combines them on elements laid out as the
// datatype says, which it calls a user's function with, in the order of the ranks.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"

namespace leadline::node {

class OrderedReduction {
 public:
  // Calls `own(reduction)` where the ranks of `comm` share one node, otherwise `elsewhere()`.
  // Returns an MPI error code, as all here.
  template <typename Own, typename Elsewhere>
  static int carry_out(MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Own& own,
                       const Elsewhere& elsewhere) {
    SharedCommunicator* shared = nullptr;
    RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
    if (shared == nullptr || !shared->one_node() ||
        !holds_pieces_for(shared->node(), shared->size())) {
      return elsewhere();
    }
    OrderedReduction reduction;
    RETURN_IF_FAILED(reduction.describe(*shared, type, op, comm));
    return own(reduction);
  }

  // `in` may be MPI_IN_PLACE.
  int allreduce(const void* in, void* out, int count);
  int reduce(const void* in, void* out, int count, int root);
  int scan(const void* in, void* out, int count, Prefix prefix);
  int reduce_scatter_block(const void* in, void* out, int count);

 private:
  OrderedReduction() = default;
  int describe(SharedCommunicator& shared, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

  // Some elements of a call: packed operands of this rank, and where results go.
  struct Turn {
    const std::byte* operands;
    std::byte* out;
    int count;
  };

  std::size_t bytes_of(int count) const { return element_bytes_ * static_cast<std::size_t>(count); }
  // Some elements after the other, so that little memory is needed: `by_parts(turn)` does as many
  // for each rank, and the rest is done directly. This rank gets the operands of the first `ranks`.
  template <typename ByParts>
  int in_turns(const void* in, void* out, int count, int ranks, const ByParts& by_parts);
  bool in_one_step(int count) const;
  // The first `ranks` of the operands, one block for each rank; `take(rank, sum)` is handed what
  // those up to each rank add up to.
  template <typename Take>
  int fold(const std::byte* operands, int count, int ranks, const Take& take);
  // Every rank gets the operands of all, and keeps what those of the first `ranks` add up to.
  int directly(const Turn& turn, int ranks);
  // Every rank adds up its part; the results go to the root, or to all.
  int by_parts(const Turn& turn, int root);
  int scan_by_parts(const Turn& turn, Prefix prefix);

  Node* node_ = nullptr;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Aint extent_ = 0;
  std::size_t element_bytes_ = 0;  // packed
};

}  // namespace leadline::node
