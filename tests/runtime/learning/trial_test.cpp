#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "runtime/learning/trial.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace leadline::runtime {
namespace {

constexpr double kLoan = 4e6;

// Ranks that call one collective back to back, in ticks of a clock that only they move. As the
// engine does it: a rest of some calls, a trial, agreement by the greatest of each number.
class World {
 public:
  // The time of a call, by its number and whether the candidate carries it out.
  using Time = std::function<double(long call, bool candidate)>;
  // How late a rank comes to a call.
  using Late = std::function<double(long call, std::size_t rank)>;

  World(std::size_t ranks, const Trial::Start& start) {
    for (std::size_t i = 0; i < ranks; ++i) {
      lessons_.push_back(std::make_unique<Trial>(start));
      purses_.push_back(std::make_unique<OverheadBudget>(0, kLoan));
    }
  }

  void run(long calls, const Time& time, const Late& late = [](long, std::size_t) { return 0.0; }) {
    for (long i = 0; i < calls; ++i, ++call_) {
      const bool is_trial = quiet_ == 0;
      const bool by = is_trial ? lessons_[0]->tries_candidate() : lessons_[0]->takes_candidate();
      const double took = time(call_, by);
      by_candidate_ = by;
      std::vector<double> came;
      for (std::size_t rank = 0; rank < lessons_.size(); ++rank) {
        if (is_trial) REQUIRE(lessons_[rank]->tries_candidate() == by);
        came.push_back(now_ + late(call_, rank));
      }
      now_ = *std::max_element(came.begin(), came.end()) + took;
      spent += took;
      best += std::min(time(call_, false), time(call_, true));
      library += time(call_, false);
      candidate_calls += by ? 1 : 0;
      if (!is_trial) {
        --quiet_;
        continue;
      }
      learn(came);
    }
  }

  void spend(double time) {
    for (const auto& purse : purses_) purse->lose(time);
  }

  const Trial& trial() const { return *lessons_[0]; }
  double now() const { return now_; }
  bool last_by_candidate() const { return by_candidate_; }

  double spent = 0;  // in calls
  double best = 0;   // that could have been spent
  double library = 0;
  long candidate_calls = 0;
  int exchanges = 0;
  int agreements = 0;

 private:
  void learn(const std::vector<double>& came) {
    bool full = false;
    for (std::size_t rank = 0; rank < lessons_.size(); ++rank) {
      lessons_[rank]->pass(std::exchange(granted_, 0), *purses_[rank]);
      full = lessons_[rank]->note(static_cast<std::uint64_t>(came[rank]),
                                  static_cast<std::uint64_t>(now_));
    }
    if (!full) return;
    ++agreements;
    std::vector<double> all;
    for (std::size_t rank = 0; rank < lessons_.size(); ++rank) {
      const auto mine = lessons_[rank]->evidence(purses_[rank]->left(now_), now_);
      all.resize(std::max(all.size(), mine.size()), mine[0]);
      for (std::size_t i = 0; i < mine.size(); ++i) {
        all[i] = rank == 0 ? mine[i] : std::max(all[i], mine[i]);
      }
    }
    const bool before = lessons_[0]->takes_candidate();
    for (std::size_t rank = 0; rank < lessons_.size(); ++rank) {
      const auto mine = lessons_[rank]->evidence(0, 0);
      std::copy(all.begin(), all.end(), mine.begin());
      const std::int64_t quiet = lessons_[rank]->conclude(*purses_[rank]);
      if (rank > 0) REQUIRE(quiet == quiet_);
      quiet_ = quiet;
    }
    granted_ = quiet_;
    exchanges += before != lessons_[0]->takes_candidate() ? 1 : 0;
  }

  std::vector<std::unique_ptr<Trial>> lessons_;
  std::vector<std::unique_ptr<OverheadBudget>> purses_;
  std::int64_t quiet_ = 0;
  std::int64_t granted_ = 0;
  double now_ = 0;
  bool by_candidate_ = false;
  long call_ = 0;
};

World::Time constant(double library, double candidate) {
  return [=](long, bool by) { return by ? candidate : library; };
}

// The same for the same call, so that both ways can be compared.
double noise(long call, bool candidate, double spread) {
  std::mt19937 generator(static_cast<unsigned>(2 * call + (candidate ? 1 : 0)));
  return std::lognormal_distribution<double>(0, spread)(generator);
}

TEST_CASE("the faster candidate is taken within 200 calls") {
  for (const std::size_t ranks : {2U, 5U}) {
    World world(ranks, {.bytes = 8});
    world.run(200, constant(900, 300));
    CHECK(world.trial().takes_candidate());
    CHECK(world.exchanges == 1);
    CHECK(world.trial().library_time() == 900);
    CHECK(world.trial().candidate_time() == 300);
    CHECK(world.trial().least_gain() == doctest::Approx(3));
    CHECK(world.trial().least_saving() == doctest::Approx(600));
  }
}

TEST_CASE("9 of 10 calls are the faster way's after 1000") {
  World world(2, {.bytes = 8});
  world.run(1000, constant(900, 300));
  const double before = world.spent;
  world.run(10000, constant(900, 300));
  CHECK(world.spent - before < 10000 * 300 * 1.02);
  CHECK(world.exchanges == 1);
}

TEST_CASE("large data are learnt in as few calls") {
  World world(2, {.bytes = std::size_t{8} << 20});
  world.run(1000, constant(kLoan, kLoan / 3));
  CHECK(world.trial().takes_candidate());
}

TEST_CASE("the library stays where the candidate is slower or the same") {
  for (const double candidate : {1000.0, 1010.0, 2000.0, 1e6}) {
    World world(3, {.bytes = 1024});
    world.run(100000, constant(1000, candidate));
    CHECK_FALSE(world.trial().takes_candidate());
    CHECK(world.exchanges == 0);
  }
}

TEST_CASE("noise alone hardly ever exchanges them") {
  int exchanged = 0;
  for (long seed = 0; seed < 50; ++seed) {
    World world(2, {.bytes = 8});
    world.run(600, [&](long call, bool by) { return 1000 * noise(seed * 100000 + call, by, 0.3); });
    exchanged += world.exchanges > 0 ? 1 : 0;
  }
  CHECK(exchanged <= 5);
}

TEST_CASE("a gain is found in noise") {
  for (long seed = 0; seed < 20; ++seed) {
    World world(2, {.bytes = 8});
    world.run(1000, [&](long call, bool by) {
      return (by ? 500 : 1000) * noise(seed * 100000 + call, by, 0.3);
    });
    CHECK(world.trial().takes_candidate());
  }
}

TEST_CASE("trials waste no more than the bound") {
  for (const double candidate : {1100.0, 3000.0, 1e5, 1e7, 1e9}) {
    World world(2, {.bytes = 8});
    for (int part = 0; part < 40; ++part) {
      world.run(20000, constant(1000, candidate));
      // Two pairs of blocks may begin before the candidate is known to be so slow.
      const double first_pairs = 2 * 8 * (candidate - 1000);
      CHECK(world.spent - world.best <= std::max(kLoan, 0.01 * world.now()) + first_pairs);
    }
    CHECK(world.exchanges == 0);
  }
}

TEST_CASE("a process that loses its core in the first pair ends no lesson") {
  World world(2, {.bytes = std::size_t{8} << 20});
  world.run(1000, [](long call, bool by) {
    return by && call < 6 ? 20 * kLoan : by ? kLoan / 6 : kLoan / 2;
  });
  CHECK(world.trial().takes_candidate());
}

TEST_CASE("calls that cost more than may be lost are left to the library") {
  World world(2, {.bytes = std::size_t{1} << 16});
  world.run(5000, constant(2 * kLoan, kLoan));
  CHECK(world.candidate_calls == 0);
  CHECK(world.agreements < 20);
}

TEST_CASE("a machine that changes is noticed, and once for each change") {
  World world(2, {.bytes = 8});
  world.run(20000, constant(900, 300));
  CHECK(world.trial().takes_candidate());
  world.run(60000, constant(900, 2700));
  CHECK_FALSE(world.trial().takes_candidate());
  world.run(200000, constant(900, 300));
  CHECK(world.trial().takes_candidate());
  CHECK(world.exchanges == 3);
}

TEST_CASE("a rank that comes late is no slow algorithm") {
  // Late in every call of the candidate, by far more than the calls take.
  World world(3, {.bytes = 8});
  world.run(1000, constant(900, 300), [&](long call, std::size_t rank) {
    return rank == static_cast<std::size_t>(call) % 3 ? 20000.0 + 1000.0 * (call % 16) : 0.0;
  });
  CHECK(world.trial().takes_candidate());
  CHECK(world.trial().library_time() == 900);
  CHECK(world.trial().candidate_time() == 300);
}

// What a rank that spins does to one on the same core.
TEST_CASE("a candidate that keeps ranks from arriving is not taken, however fast it is then") {
  const auto late = [](const World& world) {
    return [&world](long call, std::size_t rank) {
      const bool by_candidate = world.last_by_candidate();
      return rank == static_cast<std::size_t>(call) % 2 && by_candidate ? 1e5 : 0.0;
    };
  };
  World world(2, {.bytes = 8});
  world.run(3000, constant(900, 300), late(world));
  CHECK_FALSE(world.trial().takes_candidate());
  World taken(2, {.bytes = 8, .candidate = true});
  taken.run(3000, constant(900, 300), late(taken));
  CHECK_FALSE(taken.trial().takes_candidate());
}

TEST_CASE("without one clock, the rank that came last tells the time") {
  World world(2, {.bytes = 8, .stamps = Stamps::kLeastDuration});
  world.run(1000, constant(900, 300), [](long call, std::size_t rank) {
    return rank == static_cast<std::size_t>(call) % 2 ? 5000.0 : 0.0;
  });
  CHECK(world.trial().takes_candidate());
  CHECK(world.trial().candidate_time() == 300);
}

TEST_CASE("what was learnt before is where it begins") {
  World world(2, {.bytes = 8, .candidate = true});
  world.run(5000, constant(900, 300));
  CHECK(world.trial().takes_candidate());
  CHECK(world.exchanges == 0);
}

TEST_CASE("what a profile promises is tried at once, however long its calls take") {
  World world(2, {.bytes = std::size_t{8} << 20, .promising = true});
  // By other trials, and more than may be lost.
  world.spend(100 * kLoan);
  world.run(40, constant(6 * kLoan, 2 * kLoan));
  CHECK(world.trial().takes_candidate());
  CHECK(world.candidate_calls > 20);
}

TEST_CASE("what a profile promises and does not keep costs a pair, and is never in use") {
  for (const double candidate : {1.2, 3.0, 100.0}) {
    World world(2, {.bytes = std::size_t{8} << 20, .promising = true});
    world.run(1000, constant(2 * kLoan, candidate * 2 * kLoan));
    CHECK_FALSE(world.trial().takes_candidate());
    CHECK(world.exchanges == 0);
    const double first_pairs = 2 * 2 * (candidate - 1) * 2 * kLoan;
    CHECK(world.spent - world.best <= std::max(kLoan, 0.01 * world.now()) + first_pairs);
  }
}

TEST_CASE("two disturbed pairs do not refute what a profile promises") {
  World world(2, {.bytes = std::size_t{8} << 20, .promising = true});
  world.run(200, [](long call, bool by) {
    const double usual = by ? kLoan / 60 : kLoan / 20;
    return by && call < 8 ? 5 * usual : usual;
  });
  CHECK(world.trial().takes_candidate());
}

TEST_CASE("a way that is slow until its memory is warm is not given up") {
  World world(2, {.bytes = 8});
  world.run(400, [](long call, bool by) { return !by ? 4000.0 : call < 50 ? 12000.0 : 2000.0; });
  CHECK(world.trial().takes_candidate());
}

TEST_CASE("what was decided earlier counts as gained, and is decided anew where it is lost") {
  World world(2, {.bytes = 8, .candidate = true, .library_time = 900, .candidate_time = 300});
  CHECK(world.trial().decided());
  world.run(5000, constant(900, 300));
  CHECK(world.trial().takes_candidate());
  world.run(60000, constant(900, 2700));
  CHECK_FALSE(world.trial().takes_candidate());
}

TEST_CASE("agreement is seldom") {
  World world(2, {.bytes = 8});
  world.run(1000000, constant(900, 300));
  CHECK(world.agreements < 200);
}

TEST_CASE("the purse holds 1 % of the run, and the gain with the loan") {
  OverheadBudget budget(1000, 20);
  CHECK(budget.left(1000) == 20);
  CHECK(budget.left(1e6) == 20);
  budget.gain(1e9);
  CHECK(budget.left(101000) == 1000);
  budget.lose(1500);
  CHECK(budget.left(101000) == -500);
}

TEST_CASE("a communicator that took more than the loan leaves trials, which may pay for more") {
  OverheadBudget budget(0, 20);
  budget.set_up(50);
  CHECK(budget.left(1000) == -30);
  CHECK(budget.left(6000) == 10);
  CHECK(budget.left(100000) == 20);
  CHECK(budget.left_to_set_up(100000) == -30);
  budget.lose(5);
  CHECK(budget.left(100000) == 15);
  budget.gain(100);
  CHECK(budget.left_to_set_up(100000) == 65);
  CHECK(budget.lost() == 55);
}

}  // namespace
}  // namespace leadline::runtime
