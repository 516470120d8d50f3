// How much of a communication hides behind computation.
//
// A repetition has three timed parts: `communication`, started and waited for; `computation`, a
// chain of integer operations that lasts as long; `together`, where the communication is started,
// the computation done, and the communication waited for. From their medians,
// 1 - (together - computation) / communication is the share that was hidden.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/benchmark.hpp"

namespace leadline::probe {

// This rank's side of a communication, on buffers of its own.
struct Transfer {
  // Starts it, on every rank alike, and fills so many requests.
  std::function<void(MPI_Request* requests)> start;
  int requests = 1;
  // After the wait; within what is timed.
  std::function<void()> ended = {};
  // As of an Operation.
  std::function<void(std::uint64_t seed)> fill = [](std::uint64_t) {};
  std::function<std::size_t(std::uint64_t seed)> wrong_bytes;
};

// `progress`: whether the computation is interrupted by calls that let the library progress.
Axis progress_axis();

// communication, computation, together.
std::vector<Series> overlap_series();

// Collective. `prepare` is called twice, since what is communicated alone and what is communicated
// beside the computation are verified each for itself. A rank that does not `compute` only
// communicates, and stops no clock. `bytes` is left to the caller.
Operation overlapped(const Point& point, const std::function<Transfer()>& prepare,
                     bool compute = true);

}  // namespace leadline::probe
