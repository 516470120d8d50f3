// How an origin and a target synchronise around one-sided operations, and the axes to choose it by.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "benchmarks/rma/window.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe {

// Prepared and ended outside the timed region.
class Synchronisation {
 public:
  explicit Synchronisation(MPI_Win window) : window_(window) {}
  virtual ~Synchronisation() = default;
  Synchronisation(const Synchronisation&) = delete;
  Synchronisation& operator=(const Synchronisation&) = delete;

  // Timed, on an origin, before and after what it asks for.
  virtual void open() {}
  virtual void close() = 0;
  // Timed, on the target.
  virtual void expose() {}
  virtual bool target_takes_part() const { return false; }
  // Untimed, on every rank, around what it reads and writes in its own window.
  virtual void begin_access() {}
  virtual void end_access() {}

 protected:
  MPI_Win window_;
};

// Who takes part in an epoch, and how an origin locks the target.
struct EpochRoles {
  int rank;
  int origin;
  int target;
  int lock_type;  // MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE
};

// With the names of these that make sense for the operation `call`, such as "MPI_Put".
Axis synchronisation_axis(const std::string& call, const std::vector<std::string>& names);

// What the point's axis `synchronisation` asks for. Collective.
std::unique_ptr<Synchronisation> synchronisation_of(const Point& point, MPI_Win window,
                                                    const EpochRoles& roles);

Axis window_axis();

// What the point's axis `window` asks for. Throws Unavailable where memory cannot be shared.
Window::Kind window_kind(const Point& point);

}  // namespace leadline::probe
