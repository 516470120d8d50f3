// Requests of collectives that leadline carries out, or of persistent ones that it counts.
//
// The handle that the program holds is a real one of the library's, which is never started: nobody
// else has the same as long as it lives. No function of the library is given it but the one that
// frees it; MPICH 4 and 5 wait forever in MPI_Waitall for a persistent collective that was not
// started. MPI_REQUEST_NULL takes its place, of which the library makes the same empty status.
//
// Of a persistent collective, that is its own request. For non-blocking ones there are persistent
// sends of no data, which are taken again and again.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "algorithms/node/awaited.hpp"
#include "algorithms/node/persistent.hpp"
#include "runtime/report/ledger.hpp"

namespace leadline::runtime {

// Used by one thread at a time, as MPI asks of its request.
class Request {
 public:
  // A persistent one. `own`: nullptr where the library carries it out. `call` describes it for the
  // report, and `site` is where the program made it.
  Request(std::unique_ptr<node::Persistent> own, const Call& call, const void* site)
      : persistent_(own.get()), own_(std::move(own)), call_(call), site_(site) {}

  // One for a non-blocking collective, which goes back when it has ended; nullptr where the library
  // makes no more.
  static Request* take_idle();
  // The collective has been started at `site`, which took so many ticks. Returns the handle.
  MPI_Request hand_out(std::unique_ptr<node::Awaited> started, const Call& call, const void* site,
                       std::uint64_t ticks);
  // None has been.
  void put_back();

  bool is_own() const { return own_ != nullptr; }
  bool is_active() const { return active_; }
  // Whether the program's handle becomes MPI_REQUEST_NULL when it has ended.
  bool is_used_once() const { return idle_handle_ != MPI_REQUEST_NULL; }

  // Of leadline's own. All return MPI error codes but `arrived`.
  int start();
  // Whether it can be completed without waiting; serves the library once where it cannot.
  bool arrived();
  // Waits until results are there; it stays active until its end.
  int complete();
  void end();

  // Of the library's, which took so many ticks in a call that started it, or ended it.
  void started(std::uint64_t ticks);
  void ended(std::uint64_t ticks);

  // Whether the program has any that leadline must look at.
  static bool any() { return held_.load(std::memory_order_relaxed) != 0; }
  // How many persistent ones of leadline's own are alive.
  static int alive();
  // nullptr: it is none of them.
  static Request* find(MPI_Request handle);
  static void add(MPI_Request handle, std::unique_ptr<Request> request);
  // Before the library frees the handle, which it may then give to another request.
  static void remove(MPI_Request handle);

 private:
  explicit Request(MPI_Request idle_handle) : idle_handle_(idle_handle) {}

  MPI_Request idle_handle_ = MPI_REQUEST_NULL;
  node::Persistent* persistent_ = nullptr;
  std::unique_ptr<node::Awaited> own_;
  Call call_{.function = nullptr};
  const void* site_ = nullptr;
  bool active_ = false;
  bool done_ = false;  // results are there, and the program has not been told
  std::uint64_t spent_ = 0;

  inline static std::atomic<int> held_{0};
};

}  // namespace leadline::runtime
