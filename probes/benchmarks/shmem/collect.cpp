// The blocks of all PEs, one after the other, reach each of them: time until the last has all, by
// size of a block.
#include <shmem.h>

#include <memory>

#include "benchmarks/shmem/collective.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

void fcollect_active_set(const CollectiveCall& call) {
  shmem_fcollect64(call.target, call.source, call.bytes / 8, 0, 0, call.size, call.sync);
}
void collect_active_set(const CollectiveCall& call) {
  shmem_collect64(call.target, call.source, call.bytes / 8, 0, 0, call.size, call.sync);
}
#ifdef LEADLINE_OPENSHMEM_1_5
void fcollect_team(const CollectiveCall& call) {
  shmem_fcollectmem(SHMEM_TEAM_WORLD, call.target, call.source, call.bytes);
}
void collect_team(const CollectiveCall& call) {
  shmem_collectmem(SHMEM_TEAM_WORLD, call.target, call.source, call.bytes);
}
#else
constexpr Collective::Function fcollect_team = nullptr;
constexpr Collective::Function collect_team = nullptr;
#endif

Collective::Function chosen(const Point& point) {
  const bool team = over_team(point);
  if (point.choice("call") == "fcollect") return team ? fcollect_team : fcollect_active_set;
  return team ? collect_team : collect_active_set;
}

class Collect : public Collective {
 public:
  explicit Collect(const Point& point)
      : Collective(point, point.bytes(),
                   point.bytes() * static_cast<std::size_t>(point.world().size()),
                   SHMEM_COLLECT_SYNC_SIZE),
        function_(chosen(point)) {}

  void fill(std::uint64_t seed) override {
    fill_content(source_.data(), bytes_, block(seed, world_.rank()));
    fill_content(target_.data(), target_.bytes(), ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const override {
    std::size_t wrong = 0;
    for (int pe = 0; pe < world_.size(); ++pe) {
      wrong +=
          wrong_content(last_ + static_cast<std::size_t>(pe) * bytes_, bytes_, block(seed, pe));
    }
    return wrong;
  }

 protected:
  void run(const CollectiveCall& call) override { function_(call); }

 private:
  // The seed of one PE's block.
  static std::uint64_t block(std::uint64_t seed, int pe) {
    return content_word(seed, static_cast<std::uint64_t>(pe));
  }

  Function function_;
};

Operation prepare(const Point& point) {
  return collective_operation(point, std::make_shared<Collect>(point));
}

const Registration collect{{
    .name = "shmem/collect",
    .title = "SHMEM collect",
    .summary = "time of shmem_fcollect or shmem_collect: every PE gets the blocks of all; the "
               "bandwidth is "
               "the bytes of one block over the time",
    .axes = {collective_bytes_axis("size of each PE's block"),
             choice_axis("call",
                         "fcollect, to which all blocks are equal, or collect, which finds out",
                         {"fcollect", "collect"}),
             group_axis()},
    .sizes = kCollectiveSizes,
    .processes = {.minimum = 2},
    .series = completion_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
