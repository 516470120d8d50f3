#include "algorithms/bcast/bcast.hpp"

#include "runtime/engine/weigh.hpp"

namespace leadline {
namespace {

Bcast::Function bcast;
const Replacement<Bcast> replacement{"bcast", "MPI_Bcast", bcast};

int bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const auto weigh = [&](const Adopted& adopted) -> Weight {
    if (root < 0 || root >= adopted.size()) return {.doubt = "root"};
    return weigh_data(data, count, type);
  };
  return replacement.carry_out(comm, weigh, data, count, type, root);
}

}  // namespace
}  // namespace leadline
