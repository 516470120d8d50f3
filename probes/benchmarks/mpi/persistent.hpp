// What benchmarks of persistent collectives share.
#pragma once

#include <mpi.h>

#include <map>
#include <utility>

#include "comm/mpi_world.hpp"

// Open MPI 5 has the functions, and calls itself MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
#define LEADLINE_HAS_PERSISTENT_COLLECTIVES
#endif

namespace leadline::probe {

// One request for each pair of buffers, made when they are first used: in a call that warms up,
// where buffers are always the same.
class PersistentRequests {
 public:
  PersistentRequests() = default;
  ~PersistentRequests() {
    for (auto& [buffers, request] : requests_) MPI_REQUIRE(MPI_Request_free(&request));
  }
  PersistentRequests(const PersistentRequests&) = delete;
  PersistentRequests& operator=(const PersistentRequests&) = delete;

  // `make(request)` on all ranks alike.
  template <typename Make>
  void call(const void* out, const void* in, const Make& make) {
    const auto [found, is_new] = requests_.try_emplace({out, in}, MPI_REQUEST_NULL);
    if (is_new) make(&found->second);
    MPI_REQUIRE(MPI_Start(&found->second));
    MPI_REQUIRE(MPI_Wait(&found->second, MPI_STATUS_IGNORE));
  }

 private:
  std::map<std::pair<const void*, const void*>, MPI_Request> requests_;
};

}  // namespace leadline::probe
