// What scan and exscan have in common on the ranks of one node.
#pragma once

#include <mpi.h>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/ordered_reduction.hpp"
#include "algorithms/node_mpi/predefined.hpp"

namespace leadline::node {

// What a call is given.
struct PrefixCall {
  const void* in;
  void* out;
  int count;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Comm comm;
};

// In shared memory on one node, by the function `library` on several, or by `textbook` for
// operations of the user's and types with gaps.
template <typename Function>
int shared_prefix(const PrefixCall& call, Prefix prefix, Function* library, Function* textbook) {
  const auto& [in, out, count, type, op, comm] = call;
  SharedCommunicator* shared = nullptr;
  Reduction reduction;
  if (count < 0 || !Reduction::describe(type, op, reduction)) {
    const auto elsewhere = [&] {
      return textbook(call.in, call.out, call.count, call.type, call.op, call.comm);
    };
    if (count < 0) return elsewhere();
    const auto own = [&](OrderedReduction& ordered) {
      return ordered.scan(call.in, call.out, call.count, prefix);
    };
    return OrderedReduction::carry_out(type, op, comm, own, elsewhere);
  }
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !shared->one_node() ||
      !holds_pieces_for(shared->node(), shared->size())) {
    return library(in, out, count, type, op, comm);
  }
  if (count == 0) return MPI_SUCCESS;
  scan(shared->node(), reduction, in == MPI_IN_PLACE ? out : in, out,
       reduction.element_bytes() * static_cast<std::size_t>(count), prefix);
  RETURN_IF_FAILED(reduction.code());
  return shared->finish();
}

}  // namespace leadline::node
