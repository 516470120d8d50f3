// What neighbourhood collectives have in common when they inspect a call.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <climits>

#include "algorithms/neighbourhood/edge_blocks.hpp"
#include "runtime/engine/call_info.hpp"

namespace leadline::runtime {

// The int that is next to it.
inline int as_int(MPI_Count count) {
  return static_cast<int>(std::clamp<MPI_Count>(count, INT_MIN, INT_MAX));
}

// Blocks of one length on all edges. Where no edges join some ranks, those may agree on another
// length, and ranks without neighbours may pass anything: there, all calls count as
// of 0 bytes.
// Collective at the first call for `comm`, the program's own.
CallInfo inspect_edges(const CommunicatorState& state, const coll::EdgeBlocks& sent,
                       const coll::EdgeBlocks& received, MPI_Comm comm);

// Blocks whose lengths only the two ends of an edge know: all calls count as of 0 bytes.
CallInfo inspect_uneven_edges(const CommunicatorState& state, const coll::EdgeBlocks& sent,
                              const coll::EdgeBlocks& received, MPI_Comm comm);

#if MPI_VERSION >= 4
// The functions of MPI 4 whose counts are MPI_Count, of blocks of one length: `Small`, a
// Replacement, takes them, too.
template <typename Small>
class LargeEdges {
 public:
  explicit LargeEdges(std::string_view name) : interception_(name, call, library_) {}

 private:
  static int call(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
                  MPI_Count out_count, MPI_Datatype out_type, MPI_Comm comm) {
    const auto carry_out = [&] {
      const auto pass_on = [&] {
        return library_(in, in_count, in_type, out, out_count, out_type, comm);
      };
      return Small::carry_out(pass_on, in, as_int(in_count), in_type, out, as_int(out_count),
                              out_type, comm);
    };
    if (as_int(in_count) == in_count && as_int(out_count) == out_count) return carry_out();
    const coll::LargeArguments all({in_count, nullptr, nullptr}, {out_count, nullptr, nullptr});
    return carry_out();
  }

  inline static decltype(MPI_Neighbor_alltoall_c)* library_ = nullptr;
  const Interception interception_;
};
#endif

}  // namespace leadline::runtime
