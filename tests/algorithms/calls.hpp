// The messages that algorithms send, counted and made to fail. The tests' executable is linked with
// `--wrap`, so that these calls of its own sources, and only these, come here first.
#pragma once

struct Calls {
  int exchanges = 0;  // MPI_Sendrecv that both sends and receives; each counts as sent, too
  int sent = 0;       // messages to other ranks
  int received = 0;   // calls that receive from other ranks
  int to_oneself = 0;
  double bytes = 0;  // in messages to other ranks

  bool operator==(const Calls&) const = default;
};

// Counts since the last call of reset_calls.
const Calls& calls();
void reset_calls();

// From now on, calls do nothing and return `code`, unless it is MPI_SUCCESS.
void fail_calls_with(int code);
