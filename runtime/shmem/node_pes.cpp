#include "runtime/shmem/node_pes.hpp"

#include <fcntl.h>
#include <sched.h>
#include <shmem.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <string>

#include "algorithms/node/node.hpp"
#include "algorithms/node/settings.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/shmem/aside.hpp"

namespace leadline::runtime {
namespace {

constexpr std::size_t kPage = 4096;
static_assert(sizeof(Sets) <= kPage);

std::size_t rounded(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::size_t area_bytes(const node::Survey& survey) {
  return rounded(node::Node::bytes_per_rank(survey), 128);
}

std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) {
  return (digest ^ value) * 1099511628211U;
}

using Name = char[64];

// Makes shared memory, and leaves the name empty where that fails.
void create_name(Name& name) {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  std::snprintf(name, sizeof name, "/leadline-%ld-shmem-%lx%lx", static_cast<long>(getpid()),
                static_cast<unsigned long>(time.tv_sec), static_cast<unsigned long>(time.tv_nsec));
  const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0) name[0] = '\0';
  if (file >= 0) close(file);
}

// What all PEs must have alike.
std::uint64_t digest_of(const std::vector<int>& members) {
  std::uint64_t digest = profile().digest;
  digest = mixed(digest, node::settings().slot_bytes);
  digest = mixed(digest, static_cast<std::uint64_t>(node::settings().flat_ranks));
  digest = mixed(digest, runtime_settings().reproducible ? 1 : 0);
  for (const int member : members) digest = mixed(digest, static_cast<std::uint64_t>(member));
  return digest;
}

}  // namespace

// What a PE tells the others, in its symmetric heap.
struct NodePes::Facts {
  std::uint64_t digest;
  cpu_set_t cpus;
  int room;
  bool several_threads;
  bool mapped;
  Name name;  // of the memory, where this PE is the node's first one; empty if there is none
};

NodePes::NodePes()
    : pe_(shmem_my_pe()),
      pes_(shmem_n_pes()),
      survey_of_all_(false, node::kLittle),
      survey_of_set_(false, node::kLittle) {}

std::unique_ptr<NodePes> NodePes::meet(bool several_threads) {
  const Aside aside;
  std::unique_ptr<NodePes> found(new NodePes);
  NodePes& self = *found;
  void* const room = shmem_malloc(sizeof(Facts));
  if (room == nullptr) return nullptr;
  for (int pe = 0; pe < self.pes_; ++pe) {
    void* const heap = shmem_ptr(room, pe);
    if (heap == nullptr) continue;
    if (pe == self.pe_) self.number_ = static_cast<int>(self.members_.size());
    self.members_.push_back(pe);
    self.heaps_.push_back(static_cast<std::byte*>(heap));
  }
  // All PEs do all of this, also those that are alone on a node or cannot have the memory.
  Facts& own = *new (room) Facts(self.facts(several_threads));
  if (self.number_ == 0) create_name(own.name);
  shmem_barrier_all();
  const std::string name = self.facts_of(0).name;
  own.mapped = self.agree(own) && self.map_memory(name.c_str());
  shmem_barrier_all();
  if (self.number_ == 0 && !name.empty()) shm_unlink(name.c_str());
  bool mapped = true;
  for (std::size_t number = 0; number < self.members_.size(); ++number) {
    mapped = mapped && self.facts_of(number).mapped;
  }
  shmem_free(room);  // once all have come here
  return mapped ? std::move(found) : nullptr;
}

const NodePes::Facts& NodePes::facts_of(std::size_t number) const {
  return *reinterpret_cast<const Facts*>(heaps_[number]);
}

NodePes::Facts NodePes::facts(bool several_threads) const {
  Facts facts{};
  facts.digest = digest_of(members_);
  sched_getaffinity(0, sizeof facts.cpus, &facts.cpus);
  facts.room = node::room_for(static_cast<int>(members_.size()));
  facts.several_threads = several_threads;
  return facts;
}

// Whether the PEs of this node can share memory at all. They come to the same answer.
bool NodePes::agree(const Facts& own) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  int room = node::kLarge;
  bool agreed = members_.size() > 1;
  for (std::size_t number = 0; number < members_.size(); ++number) {
    const Facts& other = facts_of(number);
    CPU_OR(&cpus, &cpus, &other.cpus);
    room = std::min(room, other.room);
    agreed = agreed && other.digest == own.digest && !other.several_threads;
  }
  const bool crowded = CPU_COUNT(&cpus) < static_cast<int>(members_.size());
  survey_of_all_ = node::Survey(crowded, static_cast<node::Room>(room));
  survey_of_set_ = node::Survey(crowded, node::kLittle);
  return agreed;
}

bool NodePes::map_memory(const char* name) {
  const int file = *name != '\0' ? shm_open(name, O_RDWR, 0) : -1;
  if (file < 0) return false;
  const auto part = static_cast<off_t>(bytes_per_pe());
  const off_t all = part * static_cast<off_t>(members_.size());
  void* memory = MAP_FAILED;
  // Without its pages, a full file system would end the program at the first byte that is written.
  if (ftruncate(file, all) == 0 && posix_fallocate(file, part * number_, part) == 0) {
    memory = mmap(nullptr, static_cast<std::size_t>(all), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_POPULATE, file, 0);
  }
  close(file);
  if (memory == MAP_FAILED) return false;
  memory_ = node::Segment(static_cast<std::byte*>(memory), bytes_per_pe(),
                          static_cast<int>(members_.size()));
  return true;
}

std::size_t NodePes::bytes_per_pe() const {
  return kPage +
         rounded(area_bytes(survey_of_all_) + Sets::kMost * area_bytes(survey_of_set_), kPage);
}

int NodePes::number_of(int pe) const {
  const auto found = std::lower_bound(members_.begin(), members_.end(), pe);
  return found != members_.end() && *found == pe ? static_cast<int>(found - members_.begin()) : -1;
}

std::byte* NodePes::area_of_all(int number) const { return memory_.of(number) + kPage; }

std::byte* NodePes::area_of_set(int set, int number) const {
  return area_of_all(number) + area_bytes(survey_of_all_) +
         static_cast<std::size_t>(set) * area_bytes(survey_of_set_);
}

}  // namespace leadline::runtime
