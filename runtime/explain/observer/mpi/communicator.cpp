#include "runtime/explain/observer/mpi/communicator.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace leadline::explain {
namespace {

// What each member tells the others.
struct Offer {
  u64 number;
  int slot;
  int index;
};

MPI_Group world_group = MPI_GROUP_NULL;
int attribute = MPI_KEYVAL_INVALID;  // of communicators
std::atomic_flag attributes_guard;
std::atomic_flag slots_guard;
// As long as none came back, those behind it are free, too.
std::vector<int>& free_slots = *new std::vector<int>;
int slots_used = 0;
u64 numbers_given = 0;

// Changes when a communicator is gone, whose handle may come again.
std::atomic<u32> generation{1};

struct Remembered {
  u64 handle = 0;
  Communicator* known = nullptr;
  u32 generation = 0;
};
thread_local std::array<Remembered, 4> remembered;

template <typename Handle>
u64 bits(Handle handle) {
  u64 all = 0;
  std::memcpy(&all, &handle, sizeof handle);
  return all;
}

int take_slot() {
  const Guard guard(slots_guard);
  if (slots_used < kSlots) return slots_used++;
  if (free_slots.empty()) return -1;
  // The one that has been free for longest, as slow ranks may still look at the latest.
  const int slot = free_slots.front();
  free_slots.erase(free_slots.begin());
  return slot;
}

std::vector<int> world_ranks(MPI_Group group, int size) {
  if (world_group == MPI_GROUP_NULL) PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  const auto count = static_cast<std::size_t>(size);
  std::vector<int> ranks(count);
  std::vector<int> in_world(count);
  for (std::size_t i = 0; i < count; ++i) ranks[i] = static_cast<int>(i);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world_group, in_world.data());
  for (int& rank : in_world) rank = rank == MPI_UNDEFINED ? kNoPeer : rank;
  return in_world;
}

bool has_stranger(const std::vector<int>& world_of) {
  return std::find(world_of.begin(), world_of.end(), kNoPeer) != world_of.end();
}

// Those of the communicator's own group, or of its remote one.
std::vector<int> world_ranks_of(MPI_Comm comm, bool remote) {
  int size = 0;
  MPI_Group group = MPI_GROUP_NULL;
  if (remote) {
    PMPI_Comm_remote_size(comm, &size);
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_group(comm, &group);
  }
  std::vector<int> ranks = world_ranks(group, size);
  PMPI_Group_free(&group);
  return ranks;
}

Communicator* make(MPI_Comm comm) {
  auto* const known = new Communicator;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  known->is_inter = is_inter != 0;
  known->rank = kNoPeer;
  if (!known->is_inter) PMPI_Comm_rank(comm, &known->rank);
  known->world_of = world_ranks_of(comm, known->is_inter);
  known->size = static_cast<int>(known->world_of.size());
  std::vector<int> all = known->world_of;
  if (known->is_inter) {
    const std::vector<int> own = world_ranks_of(comm, false);
    all.insert(all.end(), own.begin(), own.end());
  }
  known->has_strangers = has_stranger(all);
  known->nodes = count_nodes(all);
  return known;
}

}  // namespace

void forget_world() {
  if (world_group != MPI_GROUP_NULL) PMPI_Group_free(&world_group);
}

namespace {

// Adds to the number of references, which only several threads have to do as one. Returns what it
// was.
int count(Communicator& known, int more) {
  if (observer.multiple) return known.references.fetch_add(more, std::memory_order_acq_rel);
  const int before = known.references.load(std::memory_order_relaxed);
  known.references.store(before + more, std::memory_order_relaxed);
  return before;
}

}  // namespace

void retain(Communicator& known) { count(known, 1); }

void release(Communicator* known) {
  if (known == nullptr || count(*known, -1) != 1) return;
  if (known->slot >= 0) {
    const Guard guard(slots_guard);
    free_slots.push_back(known->slot);
  }
  delete known;
}

// An attribute's: MPI calls it when the communicator goes.
int forget(MPI_Comm, int, void* value, void*) {
  generation.fetch_add(1, std::memory_order_release);
  release(static_cast<Communicator*>(value));
  return MPI_SUCCESS;
}

Communicator* communicator(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  const u64 handle = bits(comm);
  Remembered& place = remembered[(handle * 0x9E3779B97F4A7C15U) >> 62U];
  const u32 now = generation.load(std::memory_order_acquire);
  if (place.handle == handle && place.generation == now) return place.known;
  // Of threads that ask for one at the same time, the first makes it.
  const Guard guard(attributes_guard);
  if (attribute == MPI_KEYVAL_INVALID &&
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &attribute, nullptr) != MPI_SUCCESS) {
    return nullptr;
  }
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, attribute, static_cast<void*>(&value), &found) != MPI_SUCCESS) {
    return nullptr;
  }
  if (found == 0) {
    value = make(comm);
    PMPI_Comm_set_attr(comm, attribute, value);
  }
  place = {.handle = handle, .known = static_cast<Communicator*>(value), .generation = now};
  return place.known;
}

void agree(Communicator& known, MPI_Comm comm) {
  if (known.agreed || known.has_strangers || (known.size < 2 && !known.is_inter)) return;
  known.agreed = true;
  known.slot = take_slot();
  known.own = ring_of(observer.index, known.slot);
  if (known.own != nullptr) {
    for (Stamp& stamp : known.own->stamps) stamp.call.store(0, std::memory_order_release);
  }
  const u64 number = static_cast<u64>(observer.rank + 1) << 32U | ++numbers_given;
  const Offer own{.number = number, .slot = known.slot, .index = observer.index};
  std::vector<Offer> all(static_cast<std::size_t>(known.size));
  if (PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm) !=
      MPI_SUCCESS) {
    return;
  }
  known.number = all[0].number;
  if (known.is_inter) {
    // Each group has the other one's: of the two numbers all take the lower one.
    std::vector<u64> own_number(all.size());
    if (PMPI_Allgather(&known.number, sizeof(u64), MPI_BYTE, own_number.data(), sizeof(u64),
                       MPI_BYTE, comm) != MPI_SUCCESS) {
      return;
    }
    known.number = std::min(known.number, own_number[0]);
  }
  known.all_have_rings = observer.rings != nullptr;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int world = known.world_of[i];
    const int rank = static_cast<int>(i);
    if (all[i].slot < 0) known.all_have_rings = false;
    if (rank == known.rank || world < 0) continue;
    const int index = observer.index_of[static_cast<std::size_t>(world)];
    if (index < 0) continue;
    known.here.push_back({.rank = rank, .world = world, .ring = ring_of(index, all[i].slot)});
  }
}

Communicator* agreed_copy(MPI_Comm comm) {
  Communicator* const of_comm = communicator(comm);
  if (of_comm == nullptr || of_comm->is_inter) return nullptr;
  auto* const copy = new Communicator;
  copy->size = of_comm->size;
  copy->rank = of_comm->rank;
  copy->nodes = of_comm->nodes;
  copy->has_strangers = of_comm->has_strangers;
  copy->world_of = of_comm->world_of;
  agree(*copy, comm);
  return copy;
}

namespace {

struct Kept {
  u64 handle;
  Communicator* known;
};
std::vector<Kept>& all_kept = *new std::vector<Kept>;
std::atomic_flag kept_guard;

}  // namespace

void keep(u64 handle, Communicator* known) {
  drop(handle);
  if (known == nullptr) return;
  const Guard guard(kept_guard);
  all_kept.push_back({.handle = handle, .known = known});
}

Communicator* kept(u64 handle) {
  const Guard guard(kept_guard);
  for (const Kept& each : all_kept) {
    if (each.handle == handle) return each.known;
  }
  return nullptr;
}

void drop(u64 handle) {
  const Guard guard(kept_guard);
  const auto is_it = [&](const Kept& each) { return each.handle == handle; };
  const auto found = std::find_if(all_kept.begin(), all_kept.end(), is_it);
  if (found == all_kept.end()) return;
  release(found->known);
  all_kept.erase(found);
}

}  // namespace leadline::explain
