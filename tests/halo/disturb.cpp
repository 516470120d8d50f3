// Disturbs one rank of any MPI program, to prove that the disturbance is found and named.
// Preloaded:
//
//   LEADLINE_DISTURB_CAUSE=delay               spin
//   LEADLINE_DISTURB_CAUSE=page_faults         map, touch and unmap fresh pages
//   LEADLINE_DISTURB_CAUSE=wrong_byte          change a byte of what MPI_Isend sends
//   LEADLINE_DISTURB_RANK=1                    whom
//   LEADLINE_DISTURB_CALL=MPI_Waitall          around which function
//   LEADLINE_DISTURB_SIDE=before|after         before the library's part of it, or after
//   LEADLINE_DISTURB_EVERY=50                  at every so many calls of that function
//   LEADLINE_DISTURB_MICROSECONDS=500          for how long
//
// tests/halo/disturb.py builds it for an MPI and sets all that. It refers to the library's PMPI_
// functions and is not linked with the library: programs without MPI may have it preloaded, too.
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

// What MPI_COMM_WORLD stands for in Open MPI: absent where nothing is linked with it.
#pragma weak ompi_mpi_comm_world

namespace {

double seconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void touch_fresh_pages() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = 16 * page;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  // One huge page would be one fault.
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += page) static_cast<volatile char*>(memory)[i] = 1;
  munmap(memory, bytes);
}

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "disturb: %s\n", what.c_str());
  std::exit(2);
}

std::string setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv((std::string("LEADLINE_DISTURB_") + name).c_str());
  return value == nullptr ? otherwise : value;
}

class Disturbance {
 public:
  Disturbance() {
    const std::string cause = setting("CAUSE", "none");
    const std::string side = setting("SIDE", "after");
    if (cause != "none" && cause != "delay" && cause != "page_faults" && cause != "wrong_byte") {
      refuse("no cause " + cause);
    }
    if (side != "before" && side != "after") refuse("no side " + side);
    faults_ = cause == "page_faults";
    spoils_ = cause == "wrong_byte";
    after_ = side == "after";
    int rank = -1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    chosen_ = cause != "none" && rank == std::stoi(setting("RANK", "1"));
  }
  void pass(std::string_view function, bool after) {
    if (!chosen_ || spoils_ || after != after_ || function != function_ || ++calls_ % every_ != 0)
      return;
    const double end = seconds() + duration_;
    while (seconds() < end) {
      if (faults_) touch_fresh_pages();
    }
  }
  // The sender's own memory, which MPI programs do not look at again before they refill it.
  void spoil(const void* data, int bytes) const {
    if (chosen_ && spoils_ && bytes > 0)
      *(static_cast<char*>(const_cast<void*>(data)) + bytes - 1) ^= 1;
  }

 private:
  const std::string function_ = setting("CALL", "MPI_Waitall");
  const long every_ = std::stol(setting("EVERY", "50"));
  const double duration_ = 1e-6 * std::stod(setting("MICROSECONDS", "500"));
  bool faults_ = false;
  bool spoils_ = false;
  bool after_ = false;
  bool chosen_ = false;
  long calls_ = 0;
};

Disturbance& disturbance() {
  static Disturbance only;
  return only;
}

// Passes a call on between the two places where it may be disturbed; returns what the library did.
template <typename Call>
int disturbed(const char* function, Call call) {
  disturbance().pass(function, false);
  const int code = call();
  disturbance().pass(function, true);
  return code;
}

}  // namespace

extern "C" {

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return disturbed("MPI_Irecv",
                   [&] { return PMPI_Irecv(data, count, type, from, tag, comm, request); });
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  disturbance().spoil(data, count * bytes);
  return disturbed("MPI_Isend",
                   [&] { return PMPI_Isend(data, count, type, to, tag, comm, request); });
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  return disturbed("MPI_Sendrecv", [&] {
    return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                         comm, status);
  });
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return disturbed("MPI_Waitall", [&] { return PMPI_Waitall(count, requests, statuses); });
}

int MPI_Startall(int count, MPI_Request* requests) {
  return disturbed("MPI_Startall", [&] { return PMPI_Startall(count, requests); });
}

}  // extern "C"
