// The calls that algorithms make, counted and made to fail. The tests' executable is linked with
// `--wrap`, so that these calls of its own sources, and only these, come here first.
#pragma once

struct Calls {
  int sendrecv = 0;  // messages to oneself left out
  int send = 0;
  int receive = 0;
  int to_oneself = 0;

  bool operator==(const Calls&) const = default;
};

// Counts since the last call of reset_calls.
const Calls& calls();
void reset_calls();

// From now on, calls do nothing and return `code`, unless it is MPI_SUCCESS.
void fail_calls_with(int code);
