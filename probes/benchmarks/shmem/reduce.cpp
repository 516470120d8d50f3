// All PEs add up vectors of doubles: time until the last of them has the sum, by size.
#include <shmem.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "benchmarks/shmem/collective.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

// A whole number below 2^32 for every PE and element. What a PE contributes is the difference of
// its successor's and its own, so the sum over PEs 0 to P-1 is milestone(P) - milestone(0), exact
// in any order for up to 2^20 PEs. A PE that is left out or counted twice shows.
double milestone(std::uint64_t seed, int pe, std::size_t element) {
  return static_cast<double>(
      content_word(content_word(seed, static_cast<std::uint64_t>(pe)), element) >> 32);
}

class Sum : public Collective {
 public:
  explicit Sum(const Point& point)
      : Collective(point, point.bytes(), point.bytes(), SHMEM_REDUCE_SYNC_SIZE),
        team_(over_team(point)),
        // As many as the standard asks for (section 9.8, reductions).
        work_(make_symmetric<double>(
            std::max<std::size_t>(count() / 2 + 1, SHMEM_REDUCE_MIN_WRKDATA_SIZE))) {}

  void fill(std::uint64_t seed) override {
    auto* values = reinterpret_cast<double*>(source_.data());
    for (std::size_t i = 0; i < count(); ++i) {
      values[i] = milestone(seed, world_.rank() + 1, i) - milestone(seed, world_.rank(), i);
    }
    fill_content(target_.data(), bytes_, ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const override {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count(); ++i) {
      const double right = milestone(seed, world_.size(), i) - milestone(seed, 0, i);
      const bool same = std::memcmp(last_ + i * sizeof right, &right, sizeof right) == 0;
      wrong += same ? 0 : sizeof right;
    }
    return wrong;
  }

 protected:
  void run(const CollectiveCall& call) override {
    auto* target = reinterpret_cast<double*>(call.target);
    const auto* source = reinterpret_cast<const double*>(call.source);
#ifdef LEADLINE_OPENSHMEM_1_5
    if (team_) {
      shmem_double_sum_reduce(SHMEM_TEAM_WORLD, target, source, count());
      return;
    }
#endif
    shmem_double_sum_to_all(target, source, static_cast<int>(count()), 0, 0, call.size, work_.get(),
                            call.sync);
  }

 private:
  std::size_t count() const { return bytes_ / sizeof(double); }

  [[maybe_unused]] bool team_;
  Symmetric<double> work_;
};

Operation prepare(const Point& point) {
  return collective_operation(point, std::make_shared<Sum>(point));
}

const Registration reduce{completed({
    .name = "shmem/reduce",
    .title = "SHMEM reduce",
    .summary =
        "time of a sum of doubles over all PEs, which all of them get (shmem_double_sum_to_all); "
        "the bandwidth is the bytes of one PE's vector over the time",
    .axes = {collective_bytes_axis("size of each PE's vector of doubles"), group_axis()},
    .prepare = prepare,
})};

}  // namespace
}  // namespace leadline::probe
