// What is known of a function of MPI: its kind, and where its arguments are.
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
  Place arguments = 0;  // in C; Fortran's ierror comes behind them
  Kind kind = kOther;
  Shape shape = kByKind;
  bool neighbours = false;  // only of them do calls depend
  bool persistent = false;
  bool takes = false;  // a message out of the queue
  bool waits = false;  // does little else: until a rank comes that is not known
  Place request_count = kNone;
  Place requests = kNone;
  Place flag = kNone;
  Place finished = kNone;  // how many requests
  Place index = kNone;     // or indices
  Place counts = kNone;    // one a member; of rooted functions, at the root alone
  Place count = kNone;
  Place types = kNone;
  Place type = kNone;
  Place peer = kNone;
  Place tag = kNone;
  Place source = kNone;
  Place source_tag = kNone;
  Place root = kNone;
  Place root_count = kNone;  // in the place of count, at the root
  Place root_type = kNone;
  Place comm = kNone;
  Place win = kNone;
  Place file = kNone;
  bool freed = false;  // the handle is passed by address
  Place status = kNone;
  Place request = kNone;
  Place provided = kNone;
  Place new_comm = kNone;
  Place new_win = kNone;
  Place new_file = kNone;

  constexpr Shape whom() const { return shape != kByKind ? shape : explain::whom(kind); }
};

// By the numbers of entries; 0 is none.
extern const Function functions[];

}  // namespace leadline::explain
