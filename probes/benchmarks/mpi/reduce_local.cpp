// Each rank adds one vector of its own to another: what of a reduction is arithmetic, by size.
#include <mpi.h>

#include "benchmarks/mpi/collective.hpp"
#include "harness/content.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

// As of two ranks of which one is the sum so far.
class Addition : public Data {
 public:
  explicit Addition(const Point& point)
      : Data(point, point.bytes(), point.bytes(), false),
        elements_(point.bytes() / sizeof(double)),
        rank_(static_cast<std::uint64_t>(point.world().rank())) {}

  void fill(std::uint64_t seed) override {
    fill_summand(room(), elements_, content_word(seed, rank_), 0);
    fill_summand(input(), elements_, content_word(seed, rank_), 1);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const override {
    return wrong_sum(result(), elements_, content_word(seed, rank_), 2);
  }

 private:
  std::size_t elements_;
  std::uint64_t rank_;
};

Operation prepare(const Point& point) {
  require_real("an addition takes no time");
  const auto call = [count = doubles(point)](const void* out, void* in) {
    MPI_REQUIRE(MPI_Reduce_local(out, in, count, MPI_DOUBLE, MPI_SUM));
  };
  return collective(point, std::make_shared<Addition>(point), Extent::kOne, call);
}

const Registration reduce_local{{
    .name = "mpi/reduce_local",
    .title = "MPI_Reduce_local",
    .summary =
        "time of MPI_Reduce_local of doubles with MPI_SUM, on all ranks at once; the bandwidth is "
        "that of one vector",
    .axes = {bytes_axis(kCollectiveValues, "size of each of the two vectors of doubles",
                        sizeof(double))},
    .sizes = {.split = true},
    .series = completion(),
    .start = Start::kAgreed,
    .prepare = prepare,
    .messages = false,
}};

}  // namespace
}  // namespace leadline::probe
