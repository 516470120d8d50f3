#include "applications/timestep/exchange.hpp"

namespace leadline::probe::timestep {

// Everything moves one way, and then the next.
void ReferenceExchange::call() {
  for (const Side side : kSides) {
    const Side behind = opposite(side);
    const std::span<const double> given = outgoing(side);
    double* taken = in_.data() + behind * halo().stride;
    const std::size_t bytes = count(behind) * sizeof(double);
    if (has(side) && has(behind)) {
      world_->exchange(given.data(), given.size_bytes(), halo().neighbours[side], taken, bytes,
                       halo().neighbours[behind]);
    } else if (has(side)) {
      world_->send(given.data(), given.size_bytes(), halo().neighbours[side]);
    } else if (has(behind)) {
      world_->receive(taken, bytes, halo().neighbours[behind]);
    }
  }
}

}  // namespace leadline::probe::timestep
