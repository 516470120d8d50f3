#include "algorithms/node/outstanding_collectives.hpp"
#include "runtime/nonblocking/start.hpp"

namespace leadline::runtime {
namespace {

struct Ibarrier {
  static Weight weigh(const Adopted&, MPI_Comm) { return {}; }
  static std::size_t given(int, std::size_t) { return 0; }
  static std::unique_ptr<node::Outstanding::Operation> make(int, std::size_t, MPI_Comm) {
    return std::make_unique<node::OutstandingBarrier>();
  }
};

const NonblockingStart<Ibarrier, int(MPI_Comm)> start{"ibarrier", "MPI_Ibarrier", "barrier"};

}  // namespace
}  // namespace leadline::runtime
