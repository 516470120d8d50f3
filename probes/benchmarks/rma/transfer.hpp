// What rank 0 does to rank 1's window, size by size: the part that put, get and accumulate share.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "harness/benchmark.hpp"

namespace leadline::probe {

// One operation between a buffer of rank 0 and the window of rank 1, and what is right.
struct OneSidedTransfer {
  static constexpr int kOrigin = 0;
  static constexpr int kTarget = 1;
  enum Series { kOriginTime = 0, kTargetTime = 1 };

  // The call itself; `displacement` is where in the target's window.
  void (*issue)(std::byte* buffer, int bytes, MPI_Aint displacement, MPI_Win window);
  // Content before the call, at each end.
  void (*fill_origin)(std::byte* buffer, std::size_t bytes, std::uint64_t seed);
  void (*fill_target)(std::byte* memory, std::size_t bytes, std::uint64_t seed);
  // Bytes that are not what they must be after it, at each end.
  std::size_t (*wrong_at_origin)(const std::byte* buffer, std::size_t bytes, std::uint64_t seed);
  std::size_t (*wrong_at_target)(const std::byte* memory, std::size_t bytes, std::uint64_t seed);
  int lock_type = MPI_LOCK_SHARED;
};

// The operation for the point's axes bytes, synchronisation and window. Collective, on two ranks.
Operation transfer_operation(const Point& point, const OneSidedTransfer& transfer);

}  // namespace leadline::probe
