#include "runtime/engine/edges.hpp"

#include "algorithms/neighbourhood/neighbourhood.hpp"

namespace leadline::runtime {
namespace {

// What is wrong with one side's arguments, which the library is to say.
const char* fault_of(const Adopted& adopted, const coll::EdgeBlocks& blocks, std::size_t edges) {
  if (blocks.buffer() == MPI_IN_PLACE) return "in place";
  if (!blocks.are_given()) return "no counts";
  int some = 0;
  for (std::size_t i = 0; i < edges; ++i) {
    if (blocks.count(i) < 0) return "negative count";
    if (blocks.count(i) > 0) some = 1;
  }
  return weigh_part(adopted, blocks.buffer(), some, blocks.type()).doubt;
}

// The topology of a call's communicator, or why the call is left to the library.
struct Topology {
  const coll::Neighbourhood* neighbourhood = nullptr;
  const char* doubt = nullptr;
};

Topology find_topology(const Adopted& adopted, const coll::EdgeBlocks& sent,
                       const coll::EdgeBlocks& received, MPI_Comm comm) {
  const coll::Neighbourhood* found = nullptr;
  if (adopted.nodes() > 1) return {.doubt = "several nodes"};
  if (coll::Neighbourhood::lend(comm, adopted.comm(), found) != MPI_SUCCESS) {
    return {.doubt = "neighbours"};
  }
  if (found == nullptr) return {.doubt = "no topology"};
  // Where there are no edges, arguments mean nothing.
  const char* fault = nullptr;
  if (found->sends()) fault = fault_of(adopted, sent, found->destinations().size());
  if (fault == nullptr && found->receives()) {
    fault = fault_of(adopted, received, found->incoming().size());
  }
  return {.neighbourhood = found, .doubt = fault};
}

}  // namespace

Weight weigh_edges(const Adopted& adopted, const coll::EdgeBlocks& sent,
                   const coll::EdgeBlocks& received, MPI_Comm comm) {
  const auto [neighbourhood, doubt] = find_topology(adopted, sent, received, comm);
  if (doubt != nullptr || !neighbourhood->connected()) return {.doubt = doubt};
  const coll::EdgeBlocks& known = neighbourhood->receives() ? received : sent;
  if (known.count(0) > INT_MAX) return {.doubt = "2 GiB or more"};
  return weigh_data(adopted, known.buffer(), as_int(known.count(0)), known.type());
}

Weight weigh_uneven_edges(const Adopted& adopted, const coll::EdgeBlocks& sent,
                          const coll::EdgeBlocks& received, MPI_Comm comm) {
  return {.doubt = find_topology(adopted, sent, received, comm).doubt};
}

}  // namespace leadline::runtime
