// Every PE has a block for every PE: time until the last has all of its own, by size of a block.
#include <shmem.h>

#include <memory>

#include "benchmarks/shmem/collective.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

void alltoall_active_set(const CollectiveCall& call) {
  shmem_alltoall64(call.target, call.source, call.bytes / 8, 0, 0, call.size, call.sync);
}
#ifdef LEADLINE_OPENSHMEM_1_5
void alltoall_team(const CollectiveCall& call) {
  shmem_alltoallmem(SHMEM_TEAM_WORLD, call.target, call.source, call.bytes);
}
#else
constexpr Collective::Function alltoall_team = nullptr;
#endif

std::size_t all_blocks(const Point& point) {
  return point.bytes() * static_cast<std::size_t>(point.world().size());
}

class Alltoall : public Collective {
 public:
  explicit Alltoall(const Point& point)
      : Collective(point, all_blocks(point), all_blocks(point), SHMEM_ALLTOALL_SYNC_SIZE),
        function_(over_team(point) ? alltoall_team : alltoall_active_set) {}

  void fill(std::uint64_t seed) override {
    for (int to = 0; to < world_.size(); ++to) {
      fill_content(source_.data() + at(to), bytes_, block(seed, world_.rank(), to));
    }
    fill_content(target_.data(), target_.bytes(), ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const override {
    std::size_t wrong = 0;
    for (int from = 0; from < world_.size(); ++from) {
      wrong += wrong_content(last_ + at(from), bytes_, block(seed, from, world_.rank()));
    }
    return wrong;
  }

 protected:
  void run(const CollectiveCall& call) override { function_(call); }

 private:
  std::size_t at(int pe) const { return static_cast<std::size_t>(pe) * bytes_; }
  // The seed of the block from one PE to another.
  static std::uint64_t block(std::uint64_t seed, int from, int to) {
    return content_word(content_word(seed, static_cast<std::uint64_t>(from)),
                        static_cast<std::uint64_t>(to));
  }

  Function function_;
};

Operation prepare(const Point& point) {
  return collective_operation(point, std::make_shared<Alltoall>(point));
}

const Registration alltoall{{
    .name = "shmem/alltoall",
    .title = "SHMEM alltoall",
    .summary =
        "time of shmem_alltoall: every PE sends each PE a block of its own; the bandwidth is the "
        "bytes of one block over the time",
    .axes = {collective_bytes_axis("size of the block for one PE"), group_axis()},
    .sizes = kCollectiveSizes,
    .processes = {.minimum = 2},
    .series = completion_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
