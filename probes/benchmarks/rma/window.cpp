#include "benchmarks/rma/window.hpp"

#include <cstring>
#include <exception>

#include "comm/mpi_world.hpp"

namespace leadline::probe {

Window::Window(Kind kind, std::size_t bytes, MPI_Comm communicator) {
  const auto size = static_cast<MPI_Aint>(bytes);
  switch (kind) {
    case Kind::kAllocate:
      MPI_REQUIRE(MPI_Win_allocate(size, 1, MPI_INFO_NULL, communicator, &memory_, &window_));
      break;
    case Kind::kCreate:
      memory_ = own_.emplace(bytes, false).data();
      MPI_REQUIRE(MPI_Win_create(memory_, size, 1, MPI_INFO_NULL, communicator, &window_));
      break;
    case Kind::kShared:
      MPI_REQUIRE(
          MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, communicator, &memory_, &window_));
      break;
  }
  MPI_REQUIRE(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
  if (bytes > 0) std::memset(memory_, 1, bytes);
}

Window::~Window() {
  if (std::uncaught_exceptions() > 0) return;
  MPI_REQUIRE(MPI_Win_free(&window_));
}

}  // namespace leadline::probe
