#include "runtime/engine/agreement.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node/settings.hpp"
#include "runtime/engine/node_ranks.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/shared/last_words.hpp"
#include "runtime/shared/warn.hpp"

namespace leadline::runtime {
namespace {

constexpr std::chrono::seconds kLong{60};
constexpr std::chrono::milliseconds kBetweenLooks{1500};

// FNV-1a.
constexpr std::uint64_t kStart = 1469598103934665603U;
constexpr std::uint64_t kFactor = 1099511628211U;

std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = kStart;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * kFactor;
  return digest;
}

// Of all that ranks must have alike, or they would take different ways.
std::uint64_t digest_of_settings() {
  std::uint64_t digest = profile().digest;
  for (const std::uint64_t setting :
       {digest_of("leadline version " LEADLINE_VERSION), std::uint64_t{node::settings().slot_bytes},
        std::uint64_t{node::settings().piece_bytes},
        std::uint64_t{node::settings().single_copy ? 1U : 0U},
        static_cast<std::uint64_t>(node::settings().flat_ranks),
        static_cast<std::uint64_t>(node::settings().ranks_per_node),
        std::uint64_t{runtime_settings().reproducible ? 1U : 0U},
        static_cast<std::uint64_t>(runtime_settings().patience),
        std::uint64_t{runtime_settings().learns() ? 1U : 0U}, learnt().digest}) {
    digest = (digest ^ setting) * kFactor;
  }
  return digest;
}

// Looks for ranks without leadline, for which the ranks of `comm` would wait forever.
class Lookout {
 public:
  explicit Lookout(MPI_Comm comm) : comm_(comm) {}

  // Ends the job at the second look that finds the same rank.
  void look() {
    if (ranks_.empty() && find_in_world(comm_, ranks_) != MPI_SUCCESS) return;
    const NodeRanks ranks_here = find_node_ranks();
    const int without = first_of(ranks_here.without_leadline);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // One of the node speaks for the rest.
    if (without >= 0 && without == before_ && first_of(ranks_here.with_leadline) == rank) {
      say_last_words(
          "rank %d runs without leadline: the other ranks would wait for it forever: start all "
          "ranks with leadline, or set LEADLINE=off for all",
          without);
      PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    before_ = without;
  }

 private:
  int first_of(const std::vector<int>& found) const {
    const auto first = std::find_first_of(found.begin(), found.end(), ranks_.begin(), ranks_.end());
    return first == found.end() ? -1 : *first;
  }

  MPI_Comm comm_;
  std::vector<int> ranks_;
  int before_ = -1;
};

// Ranks may come late to their first collective, so the wait has no end; but it has none either
// where some processes run without leadline.
int wait_for(MPI_Request& request, MPI_Comm comm) {
  const auto start = std::chrono::steady_clock::now();
  auto next_look = start + kBetweenLooks;
  Lookout lookout(comm);
  for (int done = 0; true; sched_yield()) {
    RETURN_IF_FAILED(PMPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return MPI_SUCCESS;
    const auto now = std::chrono::steady_clock::now();
    if (now >= next_look) {
      lookout.look();
      next_look = std::chrono::steady_clock::now() + kBetweenLooks;
    }
    if (now - start > kLong) {
      warn_once(
          "waits for other ranks in their first collective; if the program hangs, some of its "
          "processes run without leadline: start all of them with it, or set LEADLINE=off");
    }
  }
}

// Ranks with another version of leadline take part in this comparison, too: its form is the same in
// all versions. Of numbers that are the same on all ranks, the least is the opposite of their
// opposites' least.
constexpr std::size_t kCompared = 3;
using Compared = std::array<std::uint64_t, kCompared>;

int find_same(MPI_Comm comm, const Compared& mine, std::array<bool, kCompared>& same) {
  std::array<Compared, 2> least{};
  std::array<Compared, 2> sent{mine, mine};
  for (std::uint64_t& number : sent[1]) number = ~number;
  MPI_Request request = MPI_REQUEST_NULL;
  RETURN_IF_FAILED(PMPI_Iallreduce(sent.data(), least.data(), 2 * kCompared, MPI_UINT64_T, MPI_MIN,
                                   comm, &request));
  RETURN_IF_FAILED(wait_for(request, comm));
  for (std::size_t i = 0; i < kCompared; ++i) same[i] = least[0][i] == ~least[1][i];
  return MPI_SUCCESS;
}

void warn_of_what_differs(const Alike& alike) {
  // Who refused a profile has said so.
  if (!alike.settings && !profile().refused) {
    warn_once(
        "LEADLINE_PROFILE, another setting of leadline's, or its version is not the same on all "
        "ranks: the library's own collectives are taken; start all ranks with the same");
  } else if (!alike.report) {
    warn_once(
        "LEADLINE_REPORT is not set on all ranks, so there is no report of all: set it for all");
  } else if (!alike.hints) {
    warn_once(
        "LEADLINE_MPIIO_HINTS is not the same on all ranks, and not used: set it for all alike");
  }
}

}  // namespace

int find_in_world(MPI_Comm comm, std::vector<int>& in_world) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  std::vector<int> ranks(static_cast<std::size_t>(size));
  in_world.resize(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  RETURN_IF_FAILED(PMPI_Comm_group(MPI_COMM_WORLD, &world));
  RETURN_IF_FAILED(PMPI_Comm_group(comm, &group));
  const int code = PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return code;
}

bool all_in_world(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return true;
  std::vector<int> ranks;
  return find_in_world(comm, ranks) == MPI_SUCCESS &&
         std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) == ranks.end();
}

Alike compare_ranks(MPI_Comm comm) {
  std::array<bool, kCompared> same{};
  const Compared mine{digest_of_settings(), *runtime_settings().report != '\0' ? 1U : 0U,
                      digest_of(runtime_settings().mpiio_hints)};
  if (find_same(comm, mine, same) != MPI_SUCCESS) return {};
  const Alike alike{.settings = same[0], .report = same[1], .hints = same[2]};
  warn_of_what_differs(alike);
  return alike;
}

int combine(MPI_Comm comm, std::span<std::uint64_t> words) {
  const std::vector<std::uint64_t> mine(words.begin(), words.end());
  MPI_Request request = MPI_REQUEST_NULL;
  RETURN_IF_FAILED(PMPI_Iallreduce(mine.data(), words.data(), static_cast<int>(mine.size()),
                                   MPI_UINT64_T, MPI_BAND, comm, &request));
  return wait_for(request, comm);
}

bool all_can(MPI_Comm comm, bool this_can) {
  std::uint64_t can = this_can ? 1 : 0;
  return combine(comm, {&can, 1}) == MPI_SUCCESS && can == 1;
}

int find_shared_nodes(MPI_Comm comm, bool& found) {
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

}  // namespace leadline::runtime
