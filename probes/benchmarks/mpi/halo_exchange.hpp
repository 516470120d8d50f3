// The ways in which a task exchanges its halo with its neighbours.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/buffer.hpp"

namespace leadline::probe {

// What goes to one neighbour and comes from it. The message to it has the tag `out_tag`, which is
// the number of its direction, so that messages between the same two tasks cannot be confused.
struct Border {
  int neighbour;  // rank
  int dimension;  // of the first step towards it
  int out_tag;
  int in_tag;
  int bytes;  // of either message
  std::size_t offset;
  std::size_t landing;  // where the neighbour wants what is sent to it
};

// A task's outgoing and incoming data. Areas are laid out alike on all tasks, also where a task has
// no neighbour: one part for each direction.
struct Halo {
  std::vector<Border> borders;
  Buffer out;
  Buffer in;
  MPI_Comm communicator;
};

// The calls of one exchange. It may hold on to the buffers' addresses.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void call() = 0;
};

struct ExchangePattern {
  std::string name;
  std::string summary;
  bool fixed_buffers;  // does not work where each call uses other parts of the buffers
  std::function<std::unique_ptr<Exchange>(Halo&)> make;
};

// All that the library has, in the order in which they are listed.
const std::vector<ExchangePattern>& exchange_patterns();

}  // namespace leadline::probe
