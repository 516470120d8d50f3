#include "runtime/engine/adopted.hpp"

#include <atomic>
#include <set>
#include <utility>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/node_mpi/attached.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "runtime/engine/agreement.hpp"
#include "runtime/engine/memo.hpp"
#include "runtime/engine/settings.hpp"

namespace leadline::runtime {
namespace {

// So many adopted at a time: contexts of communicators are scarce, and each has shared memory.
constexpr int kMostAdopted = 64;

std::atomic<int> alive{0};

// What hangs on the program's communicator.
struct Entry {
  bool examined = false;
  bool compared = false;
  Alike alike;
  int calls = 0;
  bool decided = false;
  std::unique_ptr<Adopted> adopted;

  void close() {
    decided = true;
    adopted.reset();
  }
};
using Entries = node::Attached<Entry>;

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

// Collective, once: before ranks do anything that only some of them might do.
const Alike& compared(MPI_Comm comm, Entry& entry) {
  if (entry.compared) return entry.alike;
  entry.compared = true;
  if (all_in_world(comm)) {
    const ErrorsReturned errors_returned(comm);
    entry.alike = compare_ranks(comm);
  }
  entry.decided = entry.decided || !entry.alike.settings || profile().rules.empty();
  return entry.alike;
}

}  // namespace

Ranges::Ranges(std::vector<Range> ranges) : ranges_(std::move(ranges)) {
  for (std::size_t bits = 0; bits < first_.size(); ++bits) {
    const std::size_t least = bits == 0 ? 0 : std::size_t{1} << (bits - 1);
    std::size_t i = 0;
    while (ranges_[i].to_bytes < least) ++i;
    first_[bits] = i;
  }
}

std::vector<KnownCollective>& KnownCollective::all() {
  static std::vector<KnownCollective> known;
  return known;
}

std::size_t KnownCollective::add(std::string_view name, Find* find) {
  all().push_back({.name = name, .find = find});
  return all().size() - 1;
}

Adopted* Adopted::of(MPI_Comm comm) {
  struct Known {
    MPI_Comm comm = MPI_COMM_NULL;
    unsigned gone = 0;
    Adopted* adopted = nullptr;
  };
  static thread_local Memo<Known> memo;
  Known& known = memo.place(comm);
  const unsigned now = Entries::gone();
  if (known.comm == comm && known.gone == now && comm != MPI_COMM_NULL) return known.adopted;
  if (comm == MPI_COMM_NULL || Entries::closed()) return nullptr;

  Entry* entry = nullptr;
  if (entry_of(comm, entry) != MPI_SUCCESS) return nullptr;
  if (!entry->decided) compared(comm, *entry);
  if (!entry->decided) {
    const bool early = ++entry->calls < runtime_settings().patience;
    if (early && comm != MPI_COMM_WORLD) return nullptr;
    entry->decided = true;
    entry->adopted = adopt(comm);
  }
  known = {.comm = comm, .gone = now, .adopted = entry->adopted.get()};
  return known.adopted;
}

Alike Adopted::alike(MPI_Comm comm) {
  Entry* entry = nullptr;
  if (comm == MPI_COMM_NULL || Entries::closed()) return {};
  return entry_of(comm, entry) == MPI_SUCCESS ? compared(comm, *entry) : Alike{};
}

const char* Adopted::why_not(MPI_Comm comm) {
  Entry* entry = nullptr;
  if (comm == MPI_COMM_NULL || entry_of(comm, entry) != MPI_SUCCESS) return "no communicator";
  if (entry->compared && !entry->alike.settings) return "ranks differ in their settings";
  if (profile().rules.empty()) return "no profile";
  int between_groups = 0;
  int size = 0;
  if (PMPI_Comm_test_inter(comm, &between_groups) == MPI_SUCCESS && between_groups != 0) {
    return "intercommunicator";
  }
  if (PMPI_Comm_size(comm, &size) == MPI_SUCCESS && size == 1) return "one process";
  if (!entry->decided) return "new communicator";
  return "no rule for its ranks";
}

std::unique_ptr<Adopted> Adopted::adopt(MPI_Comm comm) {
  const ErrorsReturned errors_returned(comm);
  if (!all_can(comm, alive.load() < kMostAdopted)) return nullptr;
  std::unique_ptr<Adopted> adopted(new Adopted);
  const bool ready = adopted->set_up(comm) == MPI_SUCCESS;
  if (!all_can(comm, ready) || !adopted->take_rules()) return nullptr;
  return adopted;
}

int Adopted::set_up(MPI_Comm comm) {
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank_));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size_));
  // Unlike a duplicate, it takes over none of the program's attributes.
  RETURN_IF_FAILED(PMPI_Comm_split(comm, 0, rank_, &comm_));
  ++alive;
  RETURN_IF_FAILED(PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  node::SharedCommunicator* shared = nullptr;
  RETURN_IF_FAILED(node::SharedCommunicator::of(comm_, shared));
  nodes_ = shared != nullptr ? shared->nodes() : size_;
  if (shared != nullptr) return MPI_SUCCESS;
  bool could_share = false;
  RETURN_IF_FAILED(find_neighbours(comm_, could_share));
  if (!could_share) return MPI_SUCCESS;
  warn_once("no memory can be shared here (is /dev/shm full, or forbidden?)");
  return MPI_ERR_NO_MEM;
}

// For each collective, the ranges of the rules that fit; of several for one size, the first.
bool Adopted::take_rules() {
  bool any = false;
  for (const KnownCollective& collective : KnownCollective::all()) {
    std::vector<const Rule*> fitting;
    std::set<std::size_t> ends{SIZE_MAX};
    for (const Rule& rule : profile().rules) {
      const bool fits = rule.collective == collective.name &&
                        (rule.nodes == 0 || rule.nodes == nodes_) &&
                        (rule.processes == 0 || rule.processes == size_);
      if (!fits) continue;
      fitting.push_back(&rule);
      ends.insert(rule.to_bytes);
      if (rule.from_bytes > 0) ends.insert(rule.from_bytes - 1);
    }
    std::vector<Ranges::Range> ranges;
    for (const std::size_t end : ends) {
      Ranges::Range range{.to_bytes = end, .function = nullptr, .rule = nullptr};
      for (const Rule* rule : fitting) {
        if (end < rule->from_bytes || end > rule->to_bytes) continue;
        range.rule = rule;
        range.function = collective.find(rule->algorithm);
        break;
      }
      any = any || range.function != nullptr;
      ranges.push_back(range);
    }
    ranges_.emplace_back(std::move(ranges));
  }
  return any;
}

Adopted::~Adopted() {
  if (comm_ == MPI_COMM_NULL) return;
  PMPI_Comm_free(&comm_);
  --alive;
}

}  // namespace leadline::runtime
