// Ranks add to one word of rank 0's and learn what it was: the time of one addition, alone and when
// all want the word at once.
#include <mpi.h>

#include <algorithm>
#include <memory>

#include "benchmarks/rma/shared_word.hpp"
#include "benchmarks/rma/synchronisation.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe {
namespace {

class Addition : public SharedWord {
 public:
  using SharedWord::SharedWord;

 protected:
  void issue() override {
    own_ = share();
    MPI_REQUIRE(MPI_Fetch_and_op(&own_, &seen_, MPI_UINT64_T, kHost, 0, MPI_SUM, window()));
  }
  bool changed() override { return true; }
  // One after the other in some order: each saw what the one before it left.
  bool possible(std::span<Sight> sights, Value before, Value after) const override {
    Value word = before;
    for (std::size_t done = 0; done < sights.size(); ++done) {
      const auto next = std::ranges::find(sights, word, &Sight::seen);
      if (next == sights.end()) return false;
      word += next->share;
    }
    return word == after;
  }

 private:
  Value own_ = 0;
};

Operation prepare(const Point& point) {
  return shared_word_operation(std::make_shared<Addition>(point));
}

const Registration fetch_and_op{{
    .name = "rma/fetch_and_op",
    .title = "MPI_Fetch_and_op",
    .summary = "time of an MPI_Fetch_and_op, MPI_SUM on 8 bytes of rank 0's, alone and contended",
    .axes = {origins_axis(), synchronisation_axis("MPI_Fetch_and_op", {"flush", "lock"}),
             window_axis()},
    .processes = {.minimum = 2},
    .series = {{"origin",
                "from before the first of these calls to after the last on each origin, the "
                "slowest of which counts; by then the word is changed and its old value here; "
                "lock is MPI_LOCK_SHARED"}},
    .start = Start::kBackToBack,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline::probe
