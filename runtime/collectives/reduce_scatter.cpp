#include "algorithms/collectives/reduce_scatter/reduce_scatter.hpp"

#include <climits>
#include <cstdint>

#include "algorithms/node_mpi/predefined.hpp"
#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_counts.hpp"

namespace leadline::runtime {

template <>
inline constexpr bool kReduces<coll::ReduceScatter> = true;

namespace {

// Elements of the mean block: what its benchmark has for every rank.
int mean_count(std::int64_t total, int ranks) {
  return static_cast<int>((total + ranks - 1) / ranks);
}

}  // namespace

template <>
struct MovedBy<coll::ReduceScatter> {
  template <typename... Arguments>
  static Moved among(const std::tuple<Arguments...>& all) {
    const int* const counts = std::get<2>(all);
    const MPI_Comm comm = std::get<5>(all);
    int ranks = 0;
    if (counts == nullptr || comm == MPI_COMM_NULL || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) {
      return {};
    }
    std::int64_t total = 0;
    for (int rank = 0; rank < ranks; ++rank) total += counts[rank];
    return {.count = mean_count(total, ranks), .type = std::get<3>(all)};
  }
};

namespace {

CallInfo inspect(const CommunicatorState& state, const void* in, void* out, const int* counts,
                 MPI_Datatype type, MPI_Op op, MPI_Comm) {
  if (in == out) return decline("same buffer twice");
  if (counts == nullptr) return decline("no counts");
  std::int64_t total = 0;
  bool alike = true;
  for (int rank = 0; rank < state.size(); ++rank) {
    if (counts[rank] < 0) return decline("negative count");
    total += counts[rank];
    alike = alike && counts[rank] == counts[0];
  }
  if (total > INT_MAX) return decline("2 GiB or more");
  node::Reduction reduction;
  if (!alike && !node::Reduction::describe(type, op, reduction)) {
    return decline("operation or datatype");
  }
  CallInfo info =
      inspect_operands(state, in == MPI_IN_PLACE ? out : in, static_cast<int>(total), type, op);
  const auto ranks = static_cast<std::size_t>(state.size());
  info.bytes = (info.bytes + ranks - 1) / ranks;
  return info;
}

LEADLINE_REPLACES(ReduceScatter, "reduce_scatter", Reduce_scatter)

}  // namespace
}  // namespace leadline::runtime
