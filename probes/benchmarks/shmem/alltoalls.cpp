// Every PE has a block for every PE, whose words lie apart: time until the last has all of its own,
// by size of a block and by stride.
#include <shmem.h>

#include <cstring>
#include <memory>
#include <vector>

#include "benchmarks/shmem/collective.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
constexpr int kLargestStride = 64;

std::size_t stride_of(const Point& point) {
  return static_cast<std::size_t>(point.integer("stride"));
}

std::size_t all_blocks(const Point& point) {
  return point.bytes() * static_cast<std::size_t>(point.world().size()) * stride_of(point);
}

class Alltoalls : public Collective {
 public:
  explicit Alltoalls(const Point& point)
      : Collective(point, all_blocks(point), all_blocks(point), SHMEM_ALLTOALLS_SYNC_SIZE),
        stride_(stride_of(point)),
        words_(point.bytes() / kWordBytes) {}

  void fill(std::uint64_t seed) override {
    std::vector<std::byte> block(bytes_);
    fill_content(source_.data(), source_.bytes(), ~seed);
    for (int to = 0; to < world_.size(); ++to) {
      fill_content(block.data(), bytes_, seed_of(seed, world_.rank(), to));
      for (std::size_t i = 0; i < words_; ++i) {
        std::memcpy(source_.data() + at(to, i), block.data() + i * kWordBytes, kWordBytes);
      }
    }
    fill_content(target_.data(), target_.bytes(), ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const override {
    std::size_t wrong = 0;
    std::vector<std::byte> block(bytes_);
    for (int from = 0; from < world_.size(); ++from) {
      for (std::size_t i = 0; i < words_; ++i) {
        std::memcpy(block.data() + i * kWordBytes, last_ + at(from, i), kWordBytes);
      }
      wrong += wrong_content(block.data(), bytes_, seed_of(seed, from, world_.rank()));
    }
    return wrong;
  }

 protected:
  void run(const CollectiveCall& call) override {
    const auto stride = static_cast<std::ptrdiff_t>(stride_);
    shmem_alltoalls64(call.target, call.source, stride, stride, words_, 0, 0, call.size, call.sync);
  }

 private:
  // Of a word of the block of a PE.
  std::size_t at(int pe, std::size_t word) const {
    return (static_cast<std::size_t>(pe) * words_ + word) * stride_ * kWordBytes;
  }
  // The seed of the block from one PE to another.
  static std::uint64_t seed_of(std::uint64_t seed, int from, int to) {
    return content_word(content_word(seed, static_cast<std::uint64_t>(from)),
                        static_cast<std::uint64_t>(to));
  }

  std::size_t stride_;
  std::size_t words_;  // of a block
};

Axis stride_axis() {
  Axis stride{"stride", AxisKind::kInteger, "words from one to the next, at both ends", "2"};
  stride.minimum = 1;
  stride.maximum = kLargestStride;
  return stride;
}

Operation prepare(const Point& point) {
  return collective_operation(point, std::make_shared<Alltoalls>(point));
}

const Registration alltoalls{{
    .name = "shmem/alltoalls",
    .title = "SHMEM strided alltoall",
    .summary =
        "time of shmem_alltoalls: every PE sends each PE a block of its own, whose words lie "
        "apart; the bandwidth is the bytes of one block over the time",
    .axes = {collective_bytes_axis("size of the block for one PE, without what lies between"),
             stride_axis()},
    .sizes = kCollectiveSizes,
    .processes = {.minimum = 2},
    .series = completion_series(),
    .start = Start::kAgreed,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
