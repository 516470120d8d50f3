// Each process streams through arrays that no cache holds: memory is busy, the network is not.
#include <memory>
#include <vector>

#include "congestors/congestor.hpp"
#include "harness/content.hpp"

namespace leadline::probe {
namespace {

// McCalpin's triad (STREAM, 1995).
class Triad {
 public:
  explicit Triad(std::size_t elements) : a_(elements), b_(elements), c_(elements) {}

  void fill(std::uint64_t seed) {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      b_[i] = whole(seed, i);
      c_[i] = whole(~seed, i);
    }
  }
  void round() {
    for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = b_[i] + kFactor * c_[i];
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (a_[i] != whole(seed, i) + kFactor * whole(~seed, i)) wrong += sizeof(double);
    }
    return wrong;
  }
  double moved_bytes() const { return 3.0 * sizeof(double) * static_cast<double>(a_.size()); }

 private:
  static constexpr double kFactor = 3.0;
  // Small whole numbers: sums are exact, however the compiler orders them.
  static double whole(std::uint64_t seed, std::size_t i) {
    return static_cast<double>(content_word(seed, i) >> 40U);
  }
  std::vector<double> a_, b_, c_;
};

Traffic prepare(const Party&, std::size_t bytes) {
  const auto triad = std::make_shared<Triad>((bytes + sizeof(double) - 1) / sizeof(double));
  return traffic_of(triad, triad->moved_bytes());
}

const CongestorRegistration memory({
    .name = "memory",
    .summary = "each process streams through its memory",
    .minimum = 1,
    .usual_bytes = std::size_t{32} << 20U,
    .prepare = prepare,
});

}  // namespace
}  // namespace leadline::probe
