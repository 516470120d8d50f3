// Where OpenSHMEM begins and ends: shmem_init, shmem_finalize, shmem_global_exit.
#include "runtime/explain/observer/life.hpp"

#include <shmem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "runtime/explain/observer/node_file.hpp"
#include "runtime/explain/observer/shmem/function.hpp"
#include "runtime/explain/observer/shmem/set.hpp"
#include "runtime/explain/observer/shmem/writes.hpp"

// Open MPI's OpenSHMEM stands on its MPI, whose text says more than shmem_info_get_name does.
extern "C" __attribute__((weak)) int PMPI_Get_library_version(char* text, int* length);

namespace leadline::explain {
namespace {

// In the symmetric heap, as long as it is needed.
class JobOfShmem final : public Job {
 public:
  // With room for what is brought, or only for what is told.
  explicit JobOfShmem(bool brings)
      : room_(static_cast<long*>(
            shmem_malloc(sizeof(long) * (kWords + static_cast<u64>(shmem_n_pes())) +
                         (brings ? kMostBrought : 0)))) {
    if (room_ != nullptr) std::fill_n(room_, kSync, long{SHMEM_SYNC_VALUE});
    shmem_barrier_all();
  }
  // Where the heap had no room, which is so on all PEs, there is nothing to be done.
  bool works() const { return room_ != nullptr; }
  ~JobOfShmem() override { shmem_free(room_); }

  std::string library() const override {
    char text[8192] = "";  // more than any library's
    int length = 0;
    if (PMPI_Get_library_version == nullptr || PMPI_Get_library_version(text, &length) != 0) {
      shmem_info_get_name(text);
    }
    return text;
  }

  int rank() const override { return shmem_my_pe(); }
  int ranks() const override { return shmem_n_pes(); }

  bool several_threads() const override {
    int level = SHMEM_THREAD_SINGLE;
    shmem_query_thread(&level);
    return level == SHMEM_THREAD_MULTIPLE;
  }

  // Of the host's name, its start and its shared memory.
  u64 node() override {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::string name = host;
    std::string start;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), start);
    struct stat memory{};
    if (stat("/dev/shm", &memory) == 0) name += std::to_string(memory.st_dev);
    return std::hash<std::string>{}(name + start);
  }

  void barrier() override { shmem_barrier_all(); }

  std::vector<u64> gather(u64 own) override {
    long* const given = room_ + kSync;
    long* const all = given + 1;
    *given = static_cast<long>(own);
    shmem_fcollect64(all, given, 1, 0, 0, ranks(), room_);
    std::vector<u64> found(all, all + ranks());
    shmem_barrier_all();
    return found;
  }

  void bring(int from, std::byte* bytes, u64 size) override {
    long* const chunk = room_ + kWords + ranks();
    if (rank() == from) std::memcpy(chunk, bytes, size);
    shmem_barrier_all();
    if (rank() == 0) shmem_getmem(bytes, chunk, size, from);
    shmem_barrier_all();
  }

 private:
  static constexpr std::size_t kSync = SHMEM_COLLECT_SYNC_SIZE;
  static constexpr std::size_t kWords = kSync + 1;

  long* room_;
};

bool begin() {
  JobOfShmem job(false);
  if (!job.works()) {
    if (job.rank() == 0) speak("the symmetric heap has no room");
    return false;
  }
  if (!begin_observing(job, sizeof(Writes))) return false;
  all_pes().number = 0;
  return true;
}

}  // namespace

Word started(Entry& entry, Word* words, const void* site) {
  if (!is_to_begin() || thread.depth != 0) return pass_on(entry, words);
  claim();
  const u64 begun = ticks();
  ++thread.depth;
  const Word result = pass_on(entry, words);
  const u64 ended = ticks();
  const bool has_failed = entry.words == 2 && static_cast<int>(result) != 0;
  const bool observes = !has_failed && begin();
  --thread.depth;
  if (!observes) return result;
  Call call(entry, kSetUp, site);
  call.was(begun, ended);
  call.comm = &all_pes();
  call.account({});
  return result;
}

Word ended(Entry& entry, Word* words, const void* site) {
  if (!observing()) return pass_on(entry, words);
  Word result = 0;
  {
    Call call(entry, kSetUp, site);
    observer.block->last_ticks = call.begun();
    call.comm = &all_pes();
    call.comm_call = arrive(all_pes(), call.begun());
    call.show();
    if (must_meet()) {
      JobOfShmem job(true);
      if (job.works()) meet_at_end(job);
    }
    result = call.run(words);
    find_rings(all_pes());
    call.shape = kAll;
    call.account(waited(all_pes(), kAll, -1, call.comm_call, call));
  }
  end_observing(State::kFinalized);
  return result;
}

Word aborted(Entry& entry, Word* words, const void* site) {
  if (!observing()) return pass_on(entry, words);
  Call call(entry, kSetUp, site);
  call.show();
  end_observing(State::kAborted);
  return pass_on(entry, words);
}

}  // namespace leadline::explain
