// Requests that are under way: what each of them is about.
#pragma once

#include <mpi.h>

#include <vector>

#include "runtime/explain/observer/mpi/communicator.hpp"
#include "runtime/explain/observer/mpi/messages.hpp"

namespace leadline::explain {

struct Request {
  u64 handle = 0;
  enum What : std::uint8_t { kFree, kTransfer, kCollective, kUnknown } what = kFree;
  bool is_persistent = false;
  bool is_active = false;
  bool is_cancelled = false;
  bool sends = false;
  bool receives = false;
  Shape shape = kAll;  // of a collective
  int root = 0;
  u64 call = 0;
  int to = 0;  // of a transfer
  int tag = 0;
  int source = 0;
  int source_tag = 0;
  u64 bytes = 0;
  Communicator* comm = nullptr;  // kept
  Sent sent;
  Awaited awaited;
};

template <typename Handle>
u64 handle_bits(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<u64>(handle);
  } else {
    return static_cast<u32>(handle);
  }
}

// Remembers a request; without room, it is counted as lost.
void put_request(const Request& request);

// All below under their guard, which no call of MPI is made under.
class Requests {
 public:
  Requests();
  // nullptr: it is not known. Good until another is put.
  static Request* find(MPI_Request handle);
  static void remove(Request& request);

 private:
  Guard guard_;
};

// Begins the transfer of a request.
void begin_transfer(Request& request, u64 now);

}  // namespace leadline::explain
