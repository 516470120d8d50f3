// What is known of a function of OpenSHMEM: its kind, and where its arguments are.
#pragma once

#include <cstdint>

#include "runtime/explain/observer/kind.hpp"
#include "runtime/explain/preload/entry.hpp"

namespace leadline::explain {

using Place = std::int8_t;
constexpr Place kNone = -1;

// In the order in which the lists of functions name them.
struct Function {
  const char* name = "";
  Place first = 0;           // the argument from which places count: the one behind a context
  std::uint8_t element = 0;  // its bytes
  Kind kind = kOther;
  Place target = kNone;  // what is written at the peer
  Place stride = kNone;  // between the elements there
  bool is_signal = false;
  Place count = kNone;  // of elements; without one, it is one
  Place int_count = kNone;
  Place peer = kNone;
  Place object = kNone;  // what is waited for
  Place root = kNone;
  Place set = kNone;  // the first of three arguments
  Place team = kNone;
  Place freed = kNone;
  int in_vain = 0;  // what a test returns then
};

// By the numbers of entries; 0 is none.
extern const Function functions[];

// Who handles them.
Handler started;
Handler ended;
Handler aborted;
Handler collective;
Handler team_destroyed;
Handler transfer;
Handler wait;
Handler test;
Handler plain;

}  // namespace leadline::explain
