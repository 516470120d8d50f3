// What the ranks of a communicator find out together before they adopt it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace leadline::runtime {

// Whether all ranks were started with this one. Others, which were spawned or connected to, may be
// without leadline. All ranks find the same, each for itself.
bool all_in_world(MPI_Comm comm);

// Ranks of `comm` in MPI_COMM_WORLD; MPI_UNDEFINED for those that were started otherwise. Returns
// an MPI error code.
int find_in_world(MPI_Comm comm, std::vector<int>& in_world);

// What all ranks of a communicator were started with alike.
struct Alike {
  bool settings = false;  // the profile, and all else by which they choose their way
  bool report = false;    // all of them, or none, count their calls
  bool hints = false;     // for files
};

// Collective. Nothing is alike where the library fails. One line says what differs.
Alike compare_ranks(MPI_Comm comm);

// Collective. Of each word, the bits that all ranks have set. Returns an MPI error code.
int combine(MPI_Comm comm, std::span<std::uint64_t> words);

// Collective. Whether all ranks can.
bool all_can(MPI_Comm comm, bool this_can);

// Collective. Whether a node has several of the ranks.
int find_shared_nodes(MPI_Comm comm, bool& found);

// One line for the whole job, and one in the life of the program.
void warn_once(const char* line);

// Errors on the communicator come back as codes while it lives: leadline's own ones are none of the
// program's.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm);
  ~ErrorsReturned();
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace leadline::runtime
