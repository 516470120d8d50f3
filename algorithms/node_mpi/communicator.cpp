#include "algorithms/node_mpi/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/attached.hpp"
#include "algorithms/node/settings.hpp"
#include "algorithms/node_mpi/node_mpi.hpp"

namespace leadline::node {
namespace {

// What hangs on a communicator, also where nothing could be made, so that it is not tried again.
struct Entry {
  bool tried = false;
  std::unique_ptr<SharedCommunicator> shared;

  void close() { shared.reset(); }
};

// Communicators of a set-up that is cut short by an error, too.
class Temporary {
 public:
  ~Temporary() {
    if (comm != MPI_COMM_NULL) PMPI_Comm_free(&comm);
  }
  MPI_Comm comm = MPI_COMM_NULL;
};

int split_into_nodes(MPI_Comm comm, int rank, MPI_Comm& node) {
  Temporary memory;
  RETURN_IF_FAILED(
      PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &memory.comm));
  const int most = settings().ranks_per_node;
  if (most == 0) {
    std::swap(node, memory.comm);
    return MPI_SUCCESS;
  }
  int rank_in_world = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(MPI_COMM_WORLD, &rank_in_world));
  return PMPI_Comm_split(memory.comm, rank_in_world / most, rank, &node);
}

// The node of each rank of MPI_COMM_WORLD, once a communicator of all of them has found it. Other
// communicators need not ask again.
std::atomic<const std::vector<int>*> nodes_of_world{nullptr};

// Empty where ranks were started otherwise.
int find_in_world(MPI_Comm comm, int size, std::vector<int>& in_world) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  std::vector<int> ranks(static_cast<std::size_t>(size));
  in_world.resize(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  RETURN_IF_FAILED(PMPI_Comm_group(MPI_COMM_WORLD, &world));
  RETURN_IF_FAILED(PMPI_Comm_group(comm, &group));
  const int code = PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  if (std::find(in_world.begin(), in_world.end(), MPI_UNDEFINED) != in_world.end()) {
    in_world.clear();
  }
  return code;
}

int remember_nodes(const std::vector<int>& in_world, const std::vector<int>& node_of) {
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_size(MPI_COMM_WORLD, &size));
  if (nodes_of_world.load() != nullptr || in_world.size() != static_cast<std::size_t>(size)) {
    return MPI_SUCCESS;
  }
  auto nodes = std::make_unique<std::vector<int>>(in_world.size());
  for (std::size_t i = 0; i < in_world.size(); ++i) {
    (*nodes)[static_cast<std::size_t>(in_world[i])] = node_of[i];
  }
  const std::vector<int>* none = nullptr;
  // Kept as long as the process lives.
  if (nodes_of_world.compare_exchange_strong(none, nodes.get())) std::ignore = nodes.release();
  return MPI_SUCCESS;
}

}  // namespace

int SharedCommunicator::of(MPI_Comm comm, SharedCommunicator*& found) {
  struct Last {
    MPI_Comm comm = MPI_COMM_NULL;
    unsigned gone = 0;
    SharedCommunicator* shared = nullptr;
  };
  static thread_local Last last;
  const unsigned now = coll::Attached<Entry>::gone();
  if (last.comm != comm || last.gone != now || comm == MPI_COMM_NULL) {
    RETURN_IF_FAILED(look_up(comm, last.shared));
    last.comm = comm;
    last.gone = now;
  }
  found = last.shared;
  return MPI_SUCCESS;
}

int SharedCommunicator::look_up(MPI_Comm comm, SharedCommunicator*& found) {
  Entry* entry = nullptr;
  RETURN_IF_FAILED(coll::Attached<Entry>::of(comm, entry));
  found = entry->shared.get();
  if (entry->tried) return MPI_SUCCESS;
  int rank = 0;
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  Terms own{};
  Terms::Words all{};
  RETURN_IF_FAILED(terms(comm, true, own));
  RETURN_IF_FAILED(PMPI_Allreduce(own.words.data(), all.data(), static_cast<int>(all.size()),
                                  MPI_UINT64_T, MPI_BAND, comm));
  Common common(std::move(own), all, rank, size);
  return make(comm, common, found);
}

int SharedCommunicator::terms(MPI_Comm ranks, bool offers, Terms& terms) {
  int rank = 0;
  int size = 0;
  std::vector<int> in_world;
  RETURN_IF_FAILED(PMPI_Comm_rank(ranks, &rank));
  RETURN_IF_FAILED(PMPI_Comm_size(ranks, &size));
  RETURN_IF_FAILED(find_in_world(ranks, size, in_world));
  terms = own_terms(rank, size, nodes_of_world.load() != nullptr && !in_world.empty(), offers);
  return MPI_SUCCESS;
}

int SharedCommunicator::make(MPI_Comm comm, Common& common, SharedCommunicator*& found) {
  Entry* entry = nullptr;
  RETURN_IF_FAILED(coll::Attached<Entry>::of(comm, entry));
  RETURN_IF_FAILED(create(comm, common, entry->shared));
  entry->tried = true;
  found = entry->shared.get();
  return MPI_SUCCESS;
}

int SharedCommunicator::create(MPI_Comm comm, Common& common,
                               std::unique_ptr<SharedCommunicator>& made) {
  std::unique_ptr<SharedCommunicator> shared(new SharedCommunicator);
  int size = 0;
  RETURN_IF_FAILED(PMPI_Comm_rank(comm, &shared->rank_));
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  shared->node_of_.resize(static_cast<std::size_t>(size));
  std::vector<int> in_world;
  RETURN_IF_FAILED(find_in_world(comm, size, in_world));
  const std::vector<int>* const known = nodes_of_world.load();
  if (common.on_one_host && size > 1) {
    shared->number_nodes(std::vector<int>(shared->node_of_.size(), 0));
    RETURN_IF_FAILED(create_node(comm, comm, common, shared->node_));
    if (shared->node_ != nullptr) {
      RETURN_IF_FAILED(remember_nodes(in_world, shared->node_of_));
      made = std::move(shared);
      return MPI_SUCCESS;
    }
    // What seems to be one host may be several machines that were restored from one image.
  }
  Temporary ranks;
  if (common.know_nodes) {
    std::vector<int> names;
    for (const int rank : in_world) names.push_back((*known)[static_cast<std::size_t>(rank)]);
    shared->number_nodes(names);
  } else {
    RETURN_IF_FAILED(split_into_nodes(comm, shared->rank_, ranks.comm));
    RETURN_IF_FAILED(shared->number_nodes(comm, ranks.comm));
    RETURN_IF_FAILED(remember_nodes(in_world, shared->node_of_));
  }
  if (shared->nodes_ == size) return MPI_SUCCESS;
  if (shared->one_node()) {
    // That all have it is settled with the memory.
    RETURN_IF_FAILED(create_node(comm, comm, common, shared->node_));
    if (shared->node_ != nullptr) made = std::move(shared);
    return MPI_SUCCESS;
  }
  if (ranks.comm == MPI_COMM_NULL) {
    RETURN_IF_FAILED(PMPI_Comm_split(comm, shared->this_node(), shared->rank_, &ranks.comm));
  }
  RETURN_IF_FAILED(create_node(ranks.comm, comm, common, shared->node_));
  int mine = shared->node_ != nullptr ? 1 : 0;
  int all = 0;
  RETURN_IF_FAILED(PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm));
  if (all == 0) return MPI_SUCCESS;
  const int on_node = shared->node().rank();
  const int color = shared->even() || on_node == 0 ? on_node : MPI_UNDEFINED;
  RETURN_IF_FAILED(PMPI_Comm_split(comm, color, shared->this_node(), &shared->between_));
  made = std::move(shared);
  return MPI_SUCCESS;
}

int SharedCommunicator::number_nodes(MPI_Comm comm, MPI_Comm node) {
  int first = rank_;
  RETURN_IF_FAILED(PMPI_Bcast(&first, 1, MPI_INT, 0, node));
  std::vector<int> first_of(node_of_.size());
  RETURN_IF_FAILED(PMPI_Allgather(&first, 1, MPI_INT, first_of.data(), 1, MPI_INT, comm));
  number_nodes(first_of);
  return MPI_SUCCESS;
}

// Ranks of one node have the same name.
void SharedCommunicator::number_nodes(const std::vector<int>& names) {
  std::map<int, int> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    node_of_[i] = numbers.emplace(names[i], static_cast<int>(numbers.size())).first->second;
  }
  nodes_ = static_cast<int>(numbers.size());
  give_places();
}

void SharedCommunicator::give_places() {
  first_place_.assign(static_cast<std::size_t>(nodes_) + 1, 0);
  for (const int node : node_of_) ++first_place_[static_cast<std::size_t>(node) + 1];
  most_ranks_on_node_ = *std::max_element(first_place_.begin(), first_place_.end());
  std::partial_sum(first_place_.begin(), first_place_.end(), first_place_.begin());
  std::vector<int> next = first_place_;
  place_of_.resize(node_of_.size());
  rank_at_.resize(node_of_.size());
  for (int rank = 0; rank < size(); ++rank) {
    const int place = next[static_cast<std::size_t>(node_of(rank))]++;
    place_of_[static_cast<std::size_t>(rank)] = place;
    rank_at_[static_cast<std::size_t>(place)] = rank;
    in_order_ = in_order_ && place == rank;
  }
}

void SharedCommunicator::sort_by_place(const std::byte* by_rank, std::byte* by_place,
                                       std::size_t bytes) const {
  for (const int rank : rank_at_) {
    std::memcpy(by_place, by_rank + static_cast<std::size_t>(rank) * bytes, bytes);
    by_place += bytes;
  }
}

void SharedCommunicator::sort_by_rank(const std::byte* by_place, std::byte* by_rank,
                                      std::size_t bytes) const {
  for (const int rank : rank_at_) {
    std::memcpy(by_rank + static_cast<std::size_t>(rank) * bytes, by_place, bytes);
    by_place += bytes;
  }
}

SharedCommunicator::~SharedCommunicator() {
  if (between_ != MPI_COMM_NULL) PMPI_Comm_free(&between_);
}

}  // namespace leadline::node
