// Large data that go between nodes in pieces, so that the network and the nodes work at the same
// time: while the nodes' first ranks exchange one piece, their nodes work on those before and
// after.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node_mpi/communicator.hpp"

namespace leadline::node {

struct Piece {
  std::size_t offset;
  std::size_t bytes;
};

class Pieces {
 public:
  // Whole elements of so many bytes.
  Pieces(std::size_t bytes, std::size_t element_bytes);

  std::size_t count() const { return count_; }
  Piece at(std::size_t index) const;

 private:
  std::size_t bytes_;
  std::size_t each_;
  std::size_t count_;
};

// For each piece: `before` on all ranks, the exchange on first ranks, `after` on all. `exchange`
// calls MPI and is given a request to begin with, or nullptr where nothing follows that could be
// done meanwhile. Who fails goes on as the others do, and returns the first error code.
template <typename Before, typename Exchange, typename After>
int in_pieces(const SharedCommunicator& shared, const Pieces& pieces, const Before& before,
              const Exchange& exchange, const After& after) {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int first_code = MPI_SUCCESS;
  const auto keep = [&](int code) {
    if (first_code == MPI_SUCCESS) first_code = code;
  };
  const auto finish = [&](std::size_t index) {
    MPI_Request& request = requests[index % 2];
    if (request != MPI_REQUEST_NULL) keep(PMPI_Wait(&request, MPI_STATUS_IGNORE));
    after(pieces.at(index));
  };
  const bool alone = pieces.count() == 1;
  for (std::size_t i = 0; i < pieces.count(); ++i) {
    before(pieces.at(i));
    if (shared.leads()) keep(exchange(pieces.at(i), alone ? nullptr : &requests[i % 2]));
    if (i > 0) finish(i - 1);
  }
  finish(pieces.count() - 1);
  return first_code;
}

}  // namespace leadline::node
