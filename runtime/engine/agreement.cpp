#include "runtime/engine/agreement.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/settings.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/preload/warn.hpp"
#include "runtime/profile/profile.hpp"

namespace leadline {
namespace {

constexpr std::chrono::seconds kLong{60};

// Of all that ranks must have alike, or they would take different ways.
std::uint64_t digest() {
  std::uint64_t digest = profile().digest;
  for (const std::uint64_t setting :
       {std::uint64_t{settings().slot_bytes}, std::uint64_t{settings().piece_bytes},
        std::uint64_t{settings().single_copy ? 1U : 0U},
        static_cast<std::uint64_t>(settings().flat_ranks),
        static_cast<std::uint64_t>(settings().ranks_per_node),
        std::uint64_t{runtime_settings().reproducible ? 1U : 0U}}) {
    digest = (digest ^ setting) * 1099511628211U;  // FNV-1a
  }
  return digest;
}

// Ranks may come late to their first collective, so the wait has no end; but it has none either
// where some processes run without leadline, and then somebody should know why.
int wait_for(MPI_Request& request) {
  const auto start = std::chrono::steady_clock::now();
  for (int done = 0; true; sched_yield()) {
    RETURN_IF_FAILED(PMPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return MPI_SUCCESS;
    if (std::chrono::steady_clock::now() - start > kLong) {
      warn_once(
          "waits for other ranks in their first collective; if the program hangs, some of its "
          "processes run without leadline: start all of them with it, or set LEADLINE=off");
    }
  }
}

int find_agreement(MPI_Comm comm, bool this_can, bool& all_can) {
  struct {
    std::uint64_t can;
    std::uint64_t digest;
    std::uint64_t opposite;  // its least is the opposite of the greatest digest
  } mine{.can = this_can ? 1U : 0U, .digest = digest(), .opposite = ~digest()}, all{};
  MPI_Request request = MPI_REQUEST_NULL;
  RETURN_IF_FAILED(PMPI_Iallreduce(&mine, &all, 3, MPI_UINT64_T, MPI_MIN, comm, &request));
  RETURN_IF_FAILED(wait_for(request));
  all_can = all.can == 1 && all.digest == ~all.opposite;
  return MPI_SUCCESS;
}

int find_in_world(MPI_Comm comm, bool& all) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> in_world(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  RETURN_IF_FAILED(PMPI_Comm_group(MPI_COMM_WORLD, &world));
  RETURN_IF_FAILED(PMPI_Comm_group(comm, &group));
  const int code = PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  all = true;
  for (const int rank : in_world) all = all && rank != MPI_UNDEFINED;
  return code;
}

}  // namespace

bool all_in_world(MPI_Comm comm) {
  bool all = true;
  if (comm == MPI_COMM_WORLD) return true;
  return find_in_world(comm, all) == MPI_SUCCESS && all;
}

bool all_agree(MPI_Comm comm, bool this_can) {
  bool all_can = false;
  return find_agreement(comm, this_can, all_can) == MPI_SUCCESS && all_can;
}

int find_neighbours(MPI_Comm comm, bool& found) {
  MPI_Comm node = MPI_COMM_NULL;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PMPI_Comm_size(node, &size);
  PMPI_Comm_free(&node);
  int mine = size > 1 ? 1 : 0;
  int any = 0;
  RETURN_IF_FAILED(PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm));
  found = any == 1;
  return MPI_SUCCESS;
}

void warn_once(const char* line) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true)) leadline_warn(line);
}

ErrorsReturned::ErrorsReturned(MPI_Comm comm) : comm_(comm) {
  if (PMPI_Comm_get_errhandler(comm_, &before_) != MPI_SUCCESS) return;
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

ErrorsReturned::~ErrorsReturned() {
  if (before_ == MPI_ERRHANDLER_NULL) return;
  PMPI_Comm_set_errhandler(comm_, before_);
  PMPI_Errhandler_free(&before_);
}

}  // namespace leadline
