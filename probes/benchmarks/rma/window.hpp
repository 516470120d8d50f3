// A window of MPI's one-sided operations, freed when its owner goes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

#include "harness/buffer.hpp"

namespace leadline::probe {

class Window {
 public:
  // Memory from the library, ordinary memory, or memory that the ranks of one node share.
  enum class Kind { kAllocate, kCreate, kShared };

  // Collective. Exposes `bytes` bytes of this rank, touched; displacements are in bytes.
  Window(Kind kind, std::size_t bytes, MPI_Comm communicator);
  // Collective too, except while an exception unwinds: ranks that know nothing of it would never
  // come, and the probe is about to end them.
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  MPI_Win handle() const { return window_; }
  std::byte* memory() const { return memory_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* memory_ = nullptr;
  std::optional<Buffer> own_;  // what the library did not allocate
};

}  // namespace leadline::probe
