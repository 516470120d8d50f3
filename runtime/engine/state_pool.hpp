// Adopted communicators that outlive the program's: the next communicator of the same ranks takes
// over the shared memory, and what was measured in it, instead of making all that anew.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/engine/communicator_state.hpp"

namespace leadline::runtime {

class StatePool {
 public:
  // Whether this process would keep one more.
  static bool has_room();
  // One of these ranks, in this order, or nullptr.
  static std::unique_ptr<CommunicatorState> take_any(const std::vector<int>& ranks);
  // That of this label, or nullptr where it is still in use here.
  static std::unique_ptr<CommunicatorState> take(std::uint64_t label);
  // Goes at once where it is not to be kept.
  static void give(std::unique_ptr<CommunicatorState> state);
  // MPI_Finalize has begun. In the order of labels, which all ranks have alike.
  static void close();
};

}  // namespace leadline::runtime
