#include "runtime/persistent/init.hpp"

#include <array>
#include <cstdint>

#include "algorithms/node_mpi/communicator.hpp"
#include "runtime/engine/agreement.hpp"

namespace leadline::runtime {

bool all_prepare(const Adopted& adopted, bool can, std::size_t bytes) {
  // Of ranks with the same bytes, what is left of the last two are opposites.
  std::array<std::uint64_t, 3> words{can ? 1U : 0U, bytes, ~std::uint64_t{bytes}};
  return combine(adopted.comm(), words) == MPI_SUCCESS && words[0] == 1 && words[1] == ~words[2];
}

const char* doubt_about_persistent(Adopted& adopted, const Blocking& blocking, std::size_t bytes,
                                   std::size_t given) {
  if (adopted.shared() == nullptr || adopted.nodes() > 1) return "several nodes";
  const auto others = static_cast<std::size_t>(adopted.size()) - 1;
  if (given > kMostGiven || given * others > kMostRead) return "too much data";
  if (Request::alive() >= kMostRequests) return "too many requests";
  if (!blocking.takes_shared(adopted, bytes)) return "the blocking one is the library's";
  return nullptr;
}

node::Persistent::Ranks map_persistent(const Adopted& adopted, std::size_t given) {
  node::Persistent::Ranks ranks{.segment = {}, .rank = adopted.rank(), .size = adopted.size()};
  const std::size_t bytes = node::Persistent::bytes_per_rank(ranks.size, given);
  const node::Extent extent = node::Extent::all_from_the_start(bytes);
  if (node::map_segment(adopted.comm(), extent, {}, ranks.segment) != MPI_SUCCESS) {
    ranks.segment = {};
  }
  return ranks;
}

}  // namespace leadline::runtime
