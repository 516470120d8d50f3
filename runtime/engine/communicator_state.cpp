#include "runtime/engine/communicator_state.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/attached.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "runtime/engine/agreement.hpp"
#include "runtime/engine/device_memory.hpp"
#include "runtime/engine/memo.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/learning/overhead_budget.hpp"
#include "runtime/shared/ticks.hpp"

namespace leadline::runtime {
namespace {

// So many adopted at a time: contexts of communicators are scarce, and each has shared memory.
constexpr int kMostAdopted = 64;

std::atomic<int> alive{0};
std::atomic<int> with_label{0};

// MPI_COMM_WORLD is adopted after so many calls where nothing is known of it yet.
constexpr int kPatienceToLearn = 32;
// Calls after which nobody asks again whether it can be adopted.
constexpr int kMostPatience = 1 << 24;

// Of those that a process may have at a time. Which are kept is settled when they are made, since
// ranks must agree on it; so these stay.
constexpr int kMostKept = 16;

// States that outlive the program's communicators: the next communicator of the same ranks takes
// over the shared memory, and what was measured in it, instead of making all that anew.
class StatePool {
 public:
  using State = std::unique_ptr<CommunicatorState>;

  // One of these ranks, in this order, or nullptr.
  State take_any(const std::vector<int>& ranks) {
    const std::lock_guard lock(lock_);
    return take_out(std::find_if(by_label_.begin(), by_label_.end(),
                                 [&](auto& each) { return each.second->ranks() == ranks; }));
  }
  // That of this label, or nullptr where it is still in use here.
  State take(std::uint64_t label) {
    const std::lock_guard lock(lock_);
    return take_out(by_label_.find(label));
  }
  // Goes at once where it is not to be kept.
  void give(State state) {
    if (state == nullptr || state->label() == 0) return;
    const std::lock_guard lock(lock_);
    if (!closed_) by_label_.emplace(state->label(), std::move(state));
  }
  // MPI_Finalize has begun. In the order of labels, which all ranks have alike.
  void close() {
    std::map<std::uint64_t, State> last;
    {
      const std::lock_guard lock(lock_);
      closed_ = true;
      last.swap(by_label_);
    }
    while (!last.empty()) last.erase(last.begin());
  }

 private:
  State take_out(std::map<std::uint64_t, State>::iterator found) {
    if (found == by_label_.end()) return nullptr;
    State state = std::move(found->second);
    by_label_.erase(found);
    return state;
  }

  std::mutex lock_;
  std::map<std::uint64_t, State> by_label_;
  bool closed_ = false;
};

StatePool& pool() {
  // Never destroyed: MPI may have gone by then.
  static auto* const pool = new StatePool;
  return *pool;
}

// What hangs on the program's communicator.
struct Entry {
  bool examined = false;
  bool compared = false;
  bool devices = false;  // a rank may have memory of a GPU
  Alike alike;
  int calls = 0;
  int due = 0;  // the call at which to adopt it; 0: not known yet
  bool decided = false;
  std::unique_ptr<CommunicatorState> state;

  ~Entry() { pool().give(std::move(state)); }
  void close() {
    pool().close();
    decided = true;
    state.reset();
  }
};
using Entries = coll::Attached<Entry>;

int entry_of(MPI_Comm comm, Entry*& entry) {
  int between_groups = 0;
  int size = 0;
  RETURN_IF_FAILED(Entries::of(comm, entry));
  if (entry->examined) return MPI_SUCCESS;
  RETURN_IF_FAILED(PMPI_Comm_test_inter(comm, &between_groups));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  entry->examined = true;
  entry->compared = between_groups != 0;
  entry->decided = between_groups != 0 || size == 1;
  return MPI_SUCCESS;
}

// Whether a communicator is adopted for what was measured, whatever that costs.
bool profile_serves() { return !runtime_settings().learns() && !profile().rules.empty(); }

// Whether there is anything to do but to pass calls on.
bool has_choice() { return runtime_settings().learns() || !profile().rules.empty(); }

// Collective, once: before ranks do anything that only some of them might do.
const Alike& compared(MPI_Comm comm, Entry& entry) {
  if (entry.compared) return entry.alike;
  entry.compared = true;
  if (all_in_world(comm)) {
    const ErrorsReturned errors_returned(comm);
    entry.alike = compare_ranks(comm);
  }
  entry.decided = entry.decided || !entry.alike.settings || !has_choice();
  return entry.alike;
}

int first_due(MPI_Comm comm) {
  const int patience = runtime_settings().patience;
  if (comm != MPI_COMM_WORLD) return patience;
  const bool known = !profile().rules.empty() || !learnt().rules.empty();
  return known ? 1 : std::min(patience, kPatienceToLearn);
}

// What is decided for good.
struct Known {
  MPI_Comm comm = MPI_COMM_NULL;
  unsigned gone = 0;
  CommunicatorState* state = nullptr;

  static Known& of(MPI_Comm comm) {
    static thread_local Memo<Known> memo;
    return memo.place(comm);
  }
};

}  // namespace

CommunicatorState* CommunicatorState::of(MPI_Comm comm) {
  Known& known = Known::of(comm);
  const unsigned now = Entries::gone();
  if (known.comm == comm && known.gone == now && comm != MPI_COMM_NULL) return known.state;
  bool decided = false;
  CommunicatorState* const state = look_up(comm, decided);
  if (decided) known = {.comm = comm, .gone = now, .state = state};
  return state;
}

CommunicatorState* CommunicatorState::look_up(MPI_Comm comm, bool& decided) {
  if (comm == MPI_COMM_NULL || Entries::closed()) return nullptr;
  Entry* entry = nullptr;
  if (entry_of(comm, entry) != MPI_SUCCESS) return nullptr;
  if (!entry->decided) compared(comm, *entry);
  if (!entry->decided) {
    if (entry->due == 0) entry->due = first_due(comm);
    if (++entry->calls < entry->due) return nullptr;
    bool later = false;
    entry->state = adopt(comm, later, entry->devices);
    entry->due *= 2;
    entry->decided = !later || profile_serves() || entry->due > kMostPatience;
    if (!entry->decided) return nullptr;
  }
  decided = true;
  return entry->state.get();
}

Alike CommunicatorState::alike(MPI_Comm comm) {
  Entry* entry = nullptr;
  if (comm == MPI_COMM_NULL || Entries::closed()) return {};
  return entry_of(comm, entry) == MPI_SUCCESS ? compared(comm, *entry) : Alike{};
}

const char* CommunicatorState::why_not(MPI_Comm comm) {
  Entry* entry = nullptr;
  if (comm == MPI_COMM_NULL || entry_of(comm, entry) != MPI_SUCCESS) return "no communicator";
  if (entry->compared && !entry->alike.settings) return "ranks differ in their settings";
  if (!has_choice()) return "no profile";
  int between_groups = 0;
  int size = 0;
  if (PMPI_Comm_test_inter(comm, &between_groups) == MPI_SUCCESS && between_groups != 0) {
    return "intercommunicator";
  }
  if (PMPI_Comm_size(comm, &size) == MPI_SUCCESS && size == 1) return "one process";
  if (entry->devices) return "a GPU on a node";
  if (!entry->decided) return "new communicator";
  return "no rule for its ranks";
}

namespace {

// What ranks settle before they adopt a communicator, in one vote.
constexpr std::uint64_t kHasKept = 1;
constexpr std::uint64_t kCanMake = 2;
constexpr std::uint64_t kCanKeep = 4;
constexpr std::uint64_t kHasNoDevices = 8;

struct Vote {
  std::uint64_t settled;  // what all of them say
  std::uint64_t label;    // the first rank's, of what it has kept for these ranks, or a new one
  node::Terms::Words terms;
};

}  // namespace

std::unique_ptr<CommunicatorState> CommunicatorState::adopt(MPI_Comm comm, bool& later,
                                                            bool& devices) {
  static std::atomic<std::uint32_t> labels{0};
  const ErrorsReturned errors_returned(comm);
  const double begin = static_cast<double>(ticks());
  // The first, in which libraries make what they keep, and that of MPI_COMM_WORLD are part of the
  // start, which takes far longer.
  static std::atomic<bool> started{false};
  const bool charged = !profile_serves() && comm != MPI_COMM_WORLD && started.load();
  const bool affords = !charged || overhead_budget().left_to_set_up(begin) > 0;
  std::vector<int> ranks;
  int rank = 0;
  const bool known = PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS &&
                     find_in_world(comm, ranks) == MPI_SUCCESS && comm != MPI_COMM_WORLD;
  std::unique_ptr<CommunicatorState> kept;
  if (rank == 0 && known) kept = pool().take_any(ranks);
  const bool can_make = alive.load() < kMostAdopted && affords;
  Vote vote{.settled = (rank != 0 || kept != nullptr ? kHasKept : 0U) | (can_make ? kCanMake : 0U) |
                       (known && with_label.load() < kMostKept ? kCanKeep : 0U) |
                       (may_have_device_memory() ? 0U : kHasNoDevices),
            .label = UINT64_MAX};
  if (rank == 0) {
    vote.label = kept != nullptr ? kept->label()
                                 : (static_cast<std::uint64_t>(ranks[0]) + 1) << 32U | ++labels;
  }
  node::Terms own{};
  const bool offers = can_make && kept == nullptr;
  if (node::SharedCommunicator::terms(comm, offers, own) != MPI_SUCCESS) {
    vote.settled &= kHasNoDevices;
  }
  vote.terms = own.words;
  auto words = std::bit_cast<std::array<std::uint64_t, sizeof vote / sizeof vote.label>>(vote);
  if (combine(comm, words) != MPI_SUCCESS) return nullptr;
  vote = std::bit_cast<Vote>(words);
  const auto have = [&](std::uint64_t what) { return (vote.settled & what) != 0; };
  devices = !have(kHasNoDevices);
  if (devices) {
    pool().give(std::move(kept));
    warn_once(
        "a node has a GPU, or a process has loaded a driver of one: the library's own collectives "
        "are taken, since ranks may pass memory of the GPU");
    return nullptr;
  }
  if (have(kHasKept)) {
    if (rank != 0) kept = pool().take(vote.label);
    if (all_can(comm, kept != nullptr)) {
      return kept;
    }
    pool().give(std::move(kept));
  }
  later = !have(kCanMake);
  if (later) return nullptr;
  const double came = static_cast<double>(ticks());
  started = true;
  std::unique_ptr<CommunicatorState> state(new CommunicatorState);
  const bool ready = state->set_up(comm, std::move(own), vote.terms) == MPI_SUCCESS;
  // Who shares memory has settled that all do.
  const bool all_ready = state->one_node() ? ready : all_can(comm, ready);
  if (charged) overhead_budget().set_up(static_cast<double>(ticks()) - came);
  if (!all_ready || !state->take_rules()) return nullptr;
  if (have(kCanKeep) && !have(kHasKept)) {
    state->label_ = vote.label;
    state->ranks_ = std::move(ranks);
    ++with_label;
  }
  return state;
}

namespace {

// Unlike a duplicate, it takes over none of the program's attributes.
int create_alike(MPI_Comm comm, int rank, int size, MPI_Comm& created) {
  MPI_Group group = MPI_GROUP_NULL;
  int members = 0;
  RETURN_IF_FAILED(PMPI_Comm_group(comm, &group));
  PMPI_Group_size(group, &members);
  // MPICH 5.0.2 takes ranks into the group of a Cartesian communicator that are not in it, and what
  // is created for that group waits for them for ever.
  const int code = members == size ? PMPI_Comm_create(comm, group, &created)
                                   : PMPI_Comm_split(comm, 0, rank, &created);
  PMPI_Group_free(&group);
  return code;
}

}  // namespace

int CommunicatorState::set_up(MPI_Comm comm, node::Terms own, const node::Terms::Words& all) {
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank_));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size_));
  node::Common common(std::move(own), all, rank_, size_);
  RETURN_IF_FAILED(create_alike(comm, rank_, size_, comm_));
  ++alive;
  RETURN_IF_FAILED(PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  RETURN_IF_FAILED(node::SharedCommunicator::make(comm_, common, shared_));
  nodes_ = shared_ != nullptr ? shared_->nodes() : size_;
  if (shared_ != nullptr) {
    one_clock_ = one_node() && runtime_settings().learns() && node::read_one_clock(shared_->node());
    return MPI_SUCCESS;
  }
  bool could_share = false;
  RETURN_IF_FAILED(find_shared_nodes(comm_, could_share));
  if (!could_share) return MPI_SUCCESS;
  warn_once(
      "no memory can be shared: it is full, forbidden or limited: the library's own collectives "
      "are "
      "taken; look at `df /dev/shm` and `ulimit -f`");
  return MPI_ERR_NO_MEM;
}

// For each collective, the ranges of the rules that fit; of several for one size, the first.
bool CommunicatorState::take_rules() {
  bool any = false;
  const bool learns = shared_ != nullptr && runtime_settings().learns();
  for (const KnownCollective& collective : KnownCollective::all()) {
    const std::vector<Prior> fitting = fitting_rules(collective.name, nodes_, size_, learns);
    std::set<std::size_t> ends{SIZE_MAX};
    for (const Prior& prior : fitting) {
      ends.insert(prior.rule->to_bytes);
      if (prior.rule->from_bytes > 0) ends.insert(prior.rule->from_bytes - 1);
    }
    if (learns) {
      ends.merge(ends_of_classes());
      ends.erase(ends.begin(), ends.lower_bound(collective.one_way_to));
    }
    std::vector<SizeRange> ranges;
    std::size_t from = 0;
    for (const std::size_t end : ends) {
      SizeRange range{.to_bytes = end, .function = nullptr, .rule = nullptr};
      const Prior* taken = nullptr;
      for (const Prior& prior : fitting) {
        if (end < prior.rule->from_bytes || end > prior.rule->to_bytes) continue;
        taken = &prior;
        range.rule = prior.rule;
        range.function = collective.find(prior.rule->algorithm);
        break;
      }
      if (learns) {
        start_learning(range, collective, from, taken,
                       {.nodes = nodes_, .processes = size_, .one_clock = one_clock_});
      }
      any = any || range.function != nullptr || range.learnt != nullptr;
      ranges.push_back(std::move(range));
      from = end + 1;
    }
    ranges_.emplace_back(std::move(ranges));
  }
  return any;
}

CommunicatorState::~CommunicatorState() {
  if (label_ != 0) --with_label;
  if (comm_ == MPI_COMM_NULL) return;
  PMPI_Comm_free(&comm_);
  --alive;
}

}  // namespace leadline::runtime
