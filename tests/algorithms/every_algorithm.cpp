#include "every_algorithm.hpp"

#include <cstddef>
#include <stdexcept>

#include "collectives.hpp"

namespace {

using namespace leadline::coll;

constexpr std::size_t kRoom = std::size_t{16} * 4096;
alignas(64) std::byte in[kRoom];
alignas(64) std::byte out[kRoom];

// As many elements for each rank.
struct Even {
  explicit Even(int count) {
    for (int rank = 0; rank < kRanks; ++rank) {
      counts[rank] = count;
      offsets[rank] = rank * count;
    }
  }
  static constexpr int kRanks = 16;
  int counts[kRanks];
  int offsets[kRanks];
};

template <typename Collective, typename Call>
void add(std::vector<AnyAlgorithm>& all, const std::string& collective, bool has_data, bool reduces,
         const Call& call) {
  for (const auto& [name, algorithm] : Algorithm<Collective>::all()) {
    all.push_back({collective + "/" + std::string(name), has_data, reduces,
                   [call, function = algorithm->function](const Arguments& arguments) {
                     return call(function, arguments);
                   }});
  }
}

}  // namespace

std::vector<AnyAlgorithm> every_algorithm() {
  std::vector<AnyAlgorithm> all;
  const auto moves = [](auto* function, const Arguments& a) {
    return function(in, a.count, a.type, out, a.count, a.type, a.comm);
  };
  const auto moves_from_root = [](auto* function, const Arguments& a) {
    return function(in, a.count, a.type, out, a.count, a.type, 0, a.comm);
  };
  const auto reduces = [](auto* function, const Arguments& a) {
    return function(in, out, a.count, a.type, a.op, a.comm);
  };
  add<Barrier>(all, "barrier", false, false,
               [](auto* function, const Arguments& a) { return function(a.comm); });
  add<Bcast>(all, "bcast", true, false, [](auto* function, const Arguments& a) {
    return function(in, a.count, a.type, 0, a.comm);
  });
  add<Gather>(all, "gather", true, false, moves_from_root);
  add<Scatter>(all, "scatter", true, false, moves_from_root);
  add<Allgather>(all, "allgather", true, false, moves);
  add<Allgatherv>(all, "allgatherv", true, false, [](auto* function, const Arguments& a) {
    const Even even(a.count);
    return function(in, a.count, a.type, out, even.counts, even.offsets, a.type, a.comm);
  });
  add<Gatherv>(all, "gatherv", true, false, [](auto* function, const Arguments& a) {
    const Even even(a.count);
    const int code =
        function(in, a.count, a.type, out, even.counts, even.offsets, a.type, 0, a.comm);
    if (code != kLeftToLibrary) return code;
    return PMPI_Gatherv(in, a.count, a.type, out, even.counts, even.offsets, a.type, 0, a.comm);
  });
  add<Scatterv>(all, "scatterv", true, false, [](auto* function, const Arguments& a) {
    const Even even(a.count);
    const int code =
        function(in, even.counts, even.offsets, a.type, out, a.count, a.type, 0, a.comm);
    if (code != kLeftToLibrary) return code;
    return PMPI_Scatterv(in, even.counts, even.offsets, a.type, out, a.count, a.type, 0, a.comm);
  });
  add<Alltoall>(all, "alltoall", true, false, moves);
  add<Alltoallv>(all, "alltoallv", true, false, [](auto* function, const Arguments& a) {
    const Even even(a.count);
    const int code = function(in, even.counts, even.offsets, a.type, out, even.counts, even.offsets,
                              a.type, a.comm);
    if (code != kLeftToLibrary) return code;
    return PMPI_Alltoallv(in, even.counts, even.offsets, a.type, out, even.counts, even.offsets,
                          a.type, a.comm);
  });
  add<Reduce>(all, "reduce", true, true, [](auto* function, const Arguments& a) {
    return function(in, out, a.count, a.type, a.op, 0, a.comm);
  });
  add<Allreduce>(all, "allreduce", true, true, reduces);
  add<ReduceScatterBlock>(all, "reduce_scatter_block", true, true, reduces);
  add<ReduceScatter>(all, "reduce_scatter", true, true, [](auto* function, const Arguments& a) {
    const std::vector<int> counts(16, a.count);
    return function(in, out, counts.data(), a.type, a.op, a.comm);
  });
  add<Scan>(all, "scan", true, true, reduces);
  add<Exscan>(all, "exscan", true, true, reduces);
  return all;
}

AnyAlgorithm algorithm_named(const std::string& name) {
  for (const AnyAlgorithm& algorithm : every_algorithm()) {
    if (algorithm.name == name) return algorithm;
  }
  throw std::invalid_argument("there is no algorithm " + name);
}
