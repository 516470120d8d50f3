// PE 0's data reach all PEs: time until the last of them has them, by size.
#include <shmem.h>

#include <memory>

#include "benchmarks/shmem/collective.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

constexpr int kRoot = 0;

void broadcast_active_set(const CollectiveCall& call) {
  shmem_broadcast64(call.target, call.source, call.bytes / 8, kRoot, 0, 0, call.size, call.sync);
}
#ifdef LEADLINE_OPENSHMEM_1_5
void broadcast_team(const CollectiveCall& call) {
  shmem_broadcastmem(SHMEM_TEAM_WORLD, call.target, call.source, call.bytes, kRoot);
}
#else
constexpr Collective::Function broadcast_team = nullptr;
#endif

class Broadcast : public Collective {
 public:
  explicit Broadcast(const Point& point)
      : Collective(point, point.bytes(), point.bytes(), SHMEM_BCAST_SYNC_SIZE),
        team_(over_team(point)) {}

  void fill(std::uint64_t seed) override {
    // Only the root's matters; what the others hold must not be what is expected.
    fill_content(source_.data(), bytes_, world_.rank() == kRoot ? seed : ~seed - 1);
    fill_content(target_.data(), bytes_, ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const override {
    // An active set leaves the root's own target alone.
    const bool untouched = world_.rank() == kRoot && !team_;
    return wrong_content(last_, bytes_, untouched ? ~seed : seed);
  }

 protected:
  void run(const CollectiveCall& call) override {
    (team_ ? broadcast_team : broadcast_active_set)(call);
  }

 private:
  bool team_;
};

Operation prepare(const Point& point) {
  return collective_operation(point, std::make_shared<Broadcast>(point));
}

const Registration broadcast{{
    .name = "shmem/broadcast",
    .title = "SHMEM broadcast",
    .summary = "time of shmem_broadcast from PE 0 to all PEs",
    .axes = {collective_bytes_axis("size of the message"), group_axis()},
    .sizes = kCollectiveSizes,
    .processes = {.minimum = 2},
    .series = completion_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
