#include "algorithms/node/persistent_collectives.hpp"
#include "runtime/persistent/init.hpp"

namespace leadline::runtime {
namespace {

struct BarrierInit {
  static Weight weigh(const Adopted&, MPI_Comm) { return {}; }
  static std::size_t given(int, std::size_t) { return node::PersistentBarrier::given(); }
  static std::unique_ptr<node::Persistent> make(node::Persistent::Ranks ranks,
                                                node::Service service, std::size_t, MPI_Comm) {
    return std::make_unique<node::PersistentBarrier>(std::move(ranks), std::move(service));
  }
};

const PersistentInit<BarrierInit, int(MPI_Comm)> init{"barrier_init", "MPI_Barrier_init",
                                                      "barrier"};

}  // namespace
}  // namespace leadline::runtime
