#include "runtime/engine/edges.hpp"

#include "algorithms/neighbourhood/neighbourhood.hpp"

namespace leadline::runtime {
namespace {

// Reason to pass the call on because of one side's arguments, of which MPI reports the error; or
// nullptr.
const char* argument_error(const CommunicatorState& state, const coll::EdgeBlocks& blocks,
                           std::size_t edges) {
  if (blocks.buffer() == MPI_IN_PLACE) return "in place";
  if (!blocks.are_given()) return "no counts";
  int some = 0;
  for (std::size_t i = 0; i < edges; ++i) {
    if (blocks.count(i) < 0) return "negative count";
    if (blocks.count(i) > 0) some = 1;
  }
  return inspect_part(state, blocks.buffer(), some, blocks.type()).decline_reason;
}

// The topology of a call's communicator, or the reason to decline the call.
struct Topology {
  const coll::Neighbourhood* neighbourhood = nullptr;
  CallInfo info;
};

Topology find_topology(const CommunicatorState& state, const coll::EdgeBlocks& sent,
                       const coll::EdgeBlocks& received, MPI_Comm comm) {
  const coll::Neighbourhood* found = nullptr;
  if (state.nodes() > 1) return {.info = decline("several nodes")};
  if (coll::Neighbourhood::lend(comm, state.comm(), found) != MPI_SUCCESS) {
    return {.info = decline("neighbours")};
  }
  if (found == nullptr) return {.info = decline("no topology")};
  // Where there are no edges, arguments mean nothing.
  const char* error = nullptr;
  if (found->sends()) error = argument_error(state, sent, found->destinations().size());
  if (error == nullptr && found->receives()) {
    error = argument_error(state, received, found->incoming().size());
  }
  return {.neighbourhood = found, .info = decline(error)};
}

}  // namespace

CallInfo inspect_edges(const CommunicatorState& state, const coll::EdgeBlocks& sent,
                       const coll::EdgeBlocks& received, MPI_Comm comm) {
  const auto [neighbourhood, info] = find_topology(state, sent, received, comm);
  if (info.declined() || !neighbourhood->connected()) return info;
  const coll::EdgeBlocks& known = neighbourhood->receives() ? received : sent;
  if (known.count(0) > INT_MAX) return decline("2 GiB or more");
  return inspect_data(state, known.buffer(), as_int(known.count(0)), known.type());
}

CallInfo inspect_uneven_edges(const CommunicatorState& state, const coll::EdgeBlocks& sent,
                              const coll::EdgeBlocks& received, MPI_Comm comm) {
  return find_topology(state, sent, received, comm).info;
}

}  // namespace leadline::runtime
