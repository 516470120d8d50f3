// Collectives that move blocks between PEs: time until the last PE has received its blocks, by
// block size.
#include <shmem.h>

#include <cstring>
#include <memory>
#include <vector>

#include "benchmarks/shmem/collective.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

constexpr int kRoot = 0;
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
constexpr int kLargestStride = 64;

// What a collective does: how many blocks a PE gives and takes, and the call.
enum class Blocks { kOne, kOneEach };
struct Movement {
  Blocks given;
  Blocks taken;
  bool from_root = false;
  std::size_t sync_words;
  Collective::Function active_set;
  Collective::Function team;
};

std::size_t count(Blocks blocks, const Point& point) {
  return blocks == Blocks::kOne ? 1 : static_cast<std::size_t>(point.world().size());
}

class Moving : public Collective {
 public:
  Moving(const Point& point, const Movement& movement, bool team, std::size_t stride)
      : Collective(point, point.bytes() * count(movement.given, point) * stride,
                   point.bytes() * count(movement.taken, point) * stride, movement.sync_words,
                   stride),
        movement_(movement),
        team_(team),
        given_(count(movement.given, point)),
        taken_(count(movement.taken, point)) {}

  void fill(std::uint64_t seed) override {
    fill_content(source_.data(), source_.bytes(), ~seed);
    std::vector<std::byte> block(bytes_);
    for (std::size_t to = 0; to < given_; ++to) {
      fill_content(block.data(), bytes_, seed_of(seed, rank(), to));
      for (std::size_t word = 0; word < words(); ++word) {
        std::memcpy(source_.data() + at(to, word), block.data() + word * kWordBytes, kWordBytes);
      }
    }
    fill_content(target_.data(), target_.bytes(), ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const override {
    // An active set leaves the root's own target alone.
    if (movement_.from_root && rank() == kRoot && !team_)
      return wrong_content(last_, bytes_, ~seed);
    std::size_t wrong = 0;
    std::vector<std::byte> block(bytes_);
    for (std::size_t i = 0; i < taken_; ++i) {
      for (std::size_t word = 0; word < words(); ++word) {
        std::memcpy(block.data() + word * kWordBytes, last_ + at(i, word), kWordBytes);
      }
      const std::size_t from = movement_.from_root ? kRoot : i;
      wrong += wrong_content(block.data(), bytes_, seed_of(seed, from, given_ == 1 ? 0 : rank()));
    }
    return wrong;
  }

 protected:
  void run(const CollectiveCall& call) override {
    (team_ ? movement_.team : movement_.active_set)(call);
  }

 private:
  std::size_t rank() const { return static_cast<std::size_t>(world_.rank()); }
  std::size_t words() const { return bytes_ / kWordBytes; }
  // Of a word of a block.
  std::size_t at(std::size_t block, std::size_t word) const {
    return (block * words() + word) * static_cast<std::size_t>(stride_) * kWordBytes;
  }
  // The seed of the block from one PE to another.
  static std::uint64_t seed_of(std::uint64_t seed, std::size_t from, std::size_t to) {
    return content_word(content_word(seed, from), to);
  }

  Movement movement_;
  bool team_;
  std::size_t given_;
  std::size_t taken_;
};

#ifdef LEADLINE_OPENSHMEM_1_5
void broadcast_team(const CollectiveCall& call) {
  shmem_broadcastmem(SHMEM_TEAM_WORLD, call.target, call.source, call.bytes, kRoot);
}
void fcollect_team(const CollectiveCall& call) {
  shmem_fcollectmem(SHMEM_TEAM_WORLD, call.target, call.source, call.bytes);
}
void collect_team(const CollectiveCall& call) {
  shmem_collectmem(SHMEM_TEAM_WORLD, call.target, call.source, call.bytes);
}
void alltoall_team(const CollectiveCall& call) {
  shmem_alltoallmem(SHMEM_TEAM_WORLD, call.target, call.source, call.bytes);
}
#else
constexpr Collective::Function broadcast_team = nullptr;
constexpr Collective::Function fcollect_team = nullptr;
constexpr Collective::Function collect_team = nullptr;
constexpr Collective::Function alltoall_team = nullptr;
#endif

constexpr Movement kBroadcast{.given = Blocks::kOne,
                              .taken = Blocks::kOne,
                              .from_root = true,
                              .sync_words = SHMEM_BCAST_SYNC_SIZE,
                              .active_set =
                                  [](const CollectiveCall& call) {
                                    shmem_broadcast64(call.target, call.source, call.bytes / 8,
                                                      kRoot, 0, 0, call.size, call.sync);
                                  },
                              .team = broadcast_team};
constexpr Movement kFcollect{.given = Blocks::kOne,
                             .taken = Blocks::kOneEach,
                             .sync_words = SHMEM_COLLECT_SYNC_SIZE,
                             .active_set =
                                 [](const CollectiveCall& call) {
                                   shmem_fcollect64(call.target, call.source, call.bytes / 8, 0, 0,
                                                    call.size, call.sync);
                                 },
                             .team = fcollect_team};
constexpr Movement kCollect{.given = Blocks::kOne,
                            .taken = Blocks::kOneEach,
                            .sync_words = SHMEM_COLLECT_SYNC_SIZE,
                            .active_set =
                                [](const CollectiveCall& call) {
                                  shmem_collect64(call.target, call.source, call.bytes / 8, 0, 0,
                                                  call.size, call.sync);
                                },
                            .team = collect_team};
constexpr Movement kAlltoall{.given = Blocks::kOneEach,
                             .taken = Blocks::kOneEach,
                             .sync_words = SHMEM_ALLTOALL_SYNC_SIZE,
                             .active_set =
                                 [](const CollectiveCall& call) {
                                   shmem_alltoall64(call.target, call.source, call.bytes / 8, 0, 0,
                                                    call.size, call.sync);
                                 },
                             .team = alltoall_team};
constexpr Movement kAlltoalls{.given = Blocks::kOneEach,
                              .taken = Blocks::kOneEach,
                              .sync_words = SHMEM_ALLTOALLS_SYNC_SIZE,
                              .active_set =
                                  [](const CollectiveCall& call) {
                                    shmem_alltoalls64(call.target, call.source, call.stride,
                                                      call.stride, call.bytes / 8, 0, 0, call.size,
                                                      call.sync);
                                  },
                              .team = nullptr};

template <const Movement& movement>
Operation prepare(const Point& point) {
  return collective_operation(point,
                              std::make_shared<Moving>(point, movement, over_team(point), 1));
}

Operation prepare_collect(const Point& point) {
  return point.choice("call") == "fcollect" ? prepare<kFcollect>(point) : prepare<kCollect>(point);
}

Operation prepare_alltoalls(const Point& point) {
  const auto stride = static_cast<std::size_t>(point.integer("stride"));
  return collective_operation(point, std::make_shared<Moving>(point, kAlltoalls, false, stride));
}

const Registration broadcast{completed({
    .name = "shmem/broadcast",
    .title = "SHMEM broadcast",
    .summary = "time of shmem_broadcast from PE 0 to all PEs",
    .axes = {collective_bytes_axis("size of the message"), group_axis()},
    .prepare = prepare<kBroadcast>,
})};
const Registration collect{completed({
    .name = "shmem/collect",
    .title = "SHMEM collect",
    .summary = "time of shmem_fcollect or shmem_collect: every PE gets the blocks of all; the "
               "bandwidth is the bytes of one block over the time",
    .axes = {collective_bytes_axis("size of each PE's block"),
             choice_axis("call",
                         "fcollect, to which all blocks are equal, or collect, which finds out",
                         {"fcollect", "collect"}),
             group_axis()},
    .prepare = prepare_collect,
})};
const Registration alltoall{completed({
    .name = "shmem/alltoall",
    .title = "SHMEM alltoall",
    .summary =
        "time of shmem_alltoall: every PE sends each PE a block of its own; the bandwidth is the "
        "bytes of one block over the time",
    .axes = {collective_bytes_axis("size of the block for one PE"), group_axis()},
    .prepare = prepare<kAlltoall>,
})};
const Registration alltoalls{completed({
    .name = "shmem/alltoalls",
    .title = "SHMEM strided alltoall",
    .summary =
        "time of shmem_alltoalls: every PE sends each PE a block of its own, whose words lie "
        "apart; the bandwidth is the bytes of one block over the time",
    .axes = {collective_bytes_axis("size of the block for one PE, without what lies between"),
             Axis{.name = "stride",
                  .kind = AxisKind::kInteger,
                  .summary = "words from one to the next, at both ends",
                  .default_values = "2",
                  .minimum = 1,
                  .maximum = kLargestStride}},
    .prepare = prepare_alltoalls,
})};

}  // namespace
}  // namespace leadline::probe
