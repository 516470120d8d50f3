#include "every_algorithm.hpp"

#include <cstddef>
#include <stdexcept>

#include "algorithms/collectives/allgather/allgather.hpp"
#include "algorithms/collectives/allreduce/allreduce.hpp"
#include "algorithms/collectives/alltoall/alltoall.hpp"
#include "algorithms/collectives/barrier/barrier.hpp"
#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/gather/gather.hpp"
#include "algorithms/collectives/reduce/reduce.hpp"
#include "algorithms/collectives/reduce_scatter_block/reduce_scatter_block.hpp"
#include "algorithms/collectives/scatter/scatter.hpp"

namespace {

using namespace leadline::coll;

constexpr std::size_t kRoom = std::size_t{16} * 4096;
alignas(64) std::byte in[kRoom];
alignas(64) std::byte out[kRoom];

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
  add<Alltoall>(all, "alltoall", true, false, moves);
  add<Reduce>(all, "reduce", true, true, [](auto* function, const Arguments& a) {
    return function(in, out, a.count, a.type, a.op, 0, a.comm);
  });
  add<Allreduce>(all, "allreduce", true, true, reduces);
  add<ReduceScatterBlock>(all, "reduce_scatter_block", true, true, reduces);
  return all;
}

AnyAlgorithm algorithm_named(const std::string& name) {
  for (const AnyAlgorithm& algorithm : every_algorithm()) {
    if (algorithm.name == name) return algorithm;
  }
  throw std::invalid_argument("there is no algorithm " + name);
}
