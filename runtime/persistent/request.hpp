// Requests of persistent collectives that leadline carries out, or counts.
//
// The handle that the program holds is a real one of the library's, which is never started: nobody
// else has the same as long as it lives. No function of the library is given it but the one that
// frees it; MPICH 4 and 5 wait forever in MPI_Waitall for a persistent collective that was not
// started. MPI_REQUEST_NULL takes its place, of which the library makes the same empty status.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "algorithms/node/persistent.hpp"
#include "runtime/report/ledger.hpp"

namespace leadline::runtime {

// Used by one thread at a time, as MPI asks of its request.
class Request {
 public:
  // `own`: nullptr where the library carries it out. `call` describes it for the report, and `site`
  // is where the program made it.
  Request(std::unique_ptr<node::Persistent> own, const Call& call, const void* site)
      : own_(std::move(own)), call_(call), site_(site) {}

  bool is_own() const { return own_ != nullptr; }
  bool is_active() const { return active_; }

  // Of leadline's own. All return MPI error codes but `arrived`.
  int start();
  // Whether it can be completed without waiting; serves the library once where it cannot.
  bool arrived();
  // Waits until results are there; it stays active until it has `ended`.
  int complete();
  void end();

  // Of the library's, which took so many ticks in a call that started it, or ended it.
  void started(std::uint64_t ticks);
  void ended(std::uint64_t ticks);

  // Whether this process has, or had, any.
  static bool any() { return any_.load(std::memory_order_relaxed); }
  // How many of leadline's own are alive.
  static int alive();
  // nullptr: it is none of them.
  static Request* find(MPI_Request handle);
  static void add(MPI_Request handle, std::unique_ptr<Request> request);
  // Before the library frees the handle, which it may then give to another request.
  static void remove(MPI_Request handle);

 private:
  std::unique_ptr<node::Persistent> own_;
  Call call_;
  const void* site_;
  bool active_ = false;
  bool done_ = false;  // results are there, and the program has not been told
  std::uint64_t spent_ = 0;

  inline static std::atomic<bool> any_{false};
};

}  // namespace leadline::runtime
