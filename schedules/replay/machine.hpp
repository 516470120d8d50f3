// What LogGP has to know of a machine (Alexandrov, Ionescu, Schauser, Scheiman: LogGP:
// Incorporating Long Messages into the LogP Model, SPAA 1995), once between nodes and once within
// one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/replay/routes.hpp"

namespace leadline::replay {

// From so many bytes on: seconds for a message, and for each of its bytes.
struct Piece {
  std::uint64_t from_bytes = 0;
  double seconds = 0.0;
  double seconds_per_byte = 0.0;
};

class Curve {
 public:
  // The first piece begins at 0; they ascend.
  explicit Curve(std::vector<Piece> pieces = {{}}) : pieces_(std::move(pieces)) {}

  const Piece& at(std::uint64_t bytes) const {
    std::size_t i = pieces_.size() - 1;
    while (i > 0 && pieces_[i].from_bytes > bytes) --i;
    return pieces_[i];
  }
  double operator()(std::uint64_t bytes) const {
    const Piece& piece = at(bytes);
    return piece.seconds + static_cast<double>(bytes) * piece.seconds_per_byte;
  }

 private:
  std::vector<Piece> pieces_;
};

// Between two processes.
struct Way {
  Curve send;     // o of the sender: its processor is busy
  Curve receive;  // o of the receiver
  Curve wire;     // L, and G for each byte
};

struct Machine {
  Way between;
  Way within;
  double gap_s = 0.0;  // g: messages leave and reach a node no closer than that
  // For which part of n G a message keeps a node's port busy: less than 1 where a node has several
  // links, of which a message takes one.
  double port_fraction = 1.0;
  // All nodes send through one port, and what has passed it has arrived.
  bool one_medium = false;
  // A message of so many bytes waits for its receiver, and then for a round trip of control
  // messages.
  std::uint64_t rendezvous_bytes = UINT64_MAX;
  double handshake_s = 0.0;
  double reduce_s_per_byte = 0.0;
  double copy_s_per_byte = 0.0;
  // Of each rank.
  std::vector<std::int32_t> node_of;
  // The ways between nodes, of each link of which `between.wire` has the L; and the L of what is on
  // every way beside them, in the same unit. Without known ways it is all there is.
  Routes routes;
  double links = 1.0;
  // What is under way together shares the links; otherwise the ports of nodes are all that is
  // shared.
  bool contention = false;
};

}  // namespace leadline::replay
