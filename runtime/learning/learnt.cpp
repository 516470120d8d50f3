// How the ranks of a communicator learn together.
#include "runtime/learning/learnt.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <tuple>
#include <utility>

#include "runtime/engine/ranges.hpp"
#include "runtime/learning/overhead_budget.hpp"
#include "runtime/learning/trial_table.hpp"
#include "runtime/shared/ticks.hpp"

namespace leadline::runtime {
namespace {

// What every collective of shared memory has an algorithm of.
constexpr std::string_view kCandidate = "shared";
// Calls before the first trial: where nothing is proved, until the way in use is warm; where it is,
// seldom.
constexpr std::int64_t kFirst = 4;
constexpr std::int64_t kFirstTrusted = 1000;

bool fits(int wanted, int there) { return wanted == 0 || wanted == there; }

// How far a rule is from a communicator, the least first.
std::tuple<bool, int> distance(const Rule& rule, int nodes, int processes) {
  return {!fits(rule.nodes, nodes), std::abs(rule.processes - processes)};
}

// Where ranks may leave before all have come, the one that came last may be the first to leave.
Stamps stamps_of(const KnownCollective& collective, bool one_clock) {
  if (one_clock) return Stamps::kOneClock;
  return collective.waits_for_all ? Stamps::kLeastDuration : Stamps::kMostDuration;
}

}  // namespace

std::vector<Prior> fitting_rules(std::string_view collective, int nodes, int processes,
                                 bool learns) {
  std::vector<Prior> fitting;
  const Rule* nearest = nullptr;
  const Profile* const known[] = {&learnt(), &profile()};
  for (const Profile* const one : known) {
    if (one == &learnt() && !learns) continue;
    for (const Rule& rule : one->rules) {
      if (rule.collective != collective) continue;
      if (fits(rule.nodes, nodes) && fits(rule.processes, processes)) {
        fitting.push_back({.rule = &rule, .here = true, .learnt = one == &learnt()});
      } else if (nearest == nullptr ||
                 distance(rule, nodes, processes) < distance(*nearest, nodes, processes)) {
        nearest = &rule;
      }
    }
  }
  if (!fitting.empty() || nearest == nullptr || !learns) return fitting;
  for (const Profile* const one : known) {
    for (const Rule& rule : one->rules) {
      if (rule.collective == collective && rule.nodes == nearest->nodes &&
          rule.processes == nearest->processes) {
        fitting.push_back({.rule = &rule, .here = false, .learnt = one == &learnt()});
      }
    }
  }
  return fitting;
}

std::set<std::size_t> ends_of_classes() {
  std::set<std::size_t> ends;
  for (std::size_t end = 0; end < INT_MAX; end = 2 * end + 1) ends.insert(end);
  return ends;
}

void start_learning(SizeRange& range, const KnownCollective& collective, std::size_t from,
                    const Prior* prior, const Shape& shape) {
  const bool named = range.function != nullptr;
  const bool here = prior != nullptr && prior->here;
  const bool trusted = here && prior->learnt;
  AnyFunction* const usual = collective.find(kCandidate);
  AnyFunction* const candidate = named ? range.function : usual;
  if (candidate == nullptr) return;
  range.learnt.reset(
      new Learnt{.candidate = candidate,
                 .rule = {.collective = std::string(collective.name),
                          .nodes = shape.nodes,
                          .processes = shape.processes,
                          .from_bytes = from,
                          .to_bytes = range.to_bytes},
                 .algorithm = named ? range.rule->algorithm : std::string(kCandidate),
                 .start = {.bytes = from,
                           .stamps = stamps_of(collective, shape.one_clock),
                           .candidate = named && trusted,
                           .promising = named && here},
                 .rival = trusted || candidate == usual ? nullptr : usual});
  if (!trusted) {
    range.function = nullptr;
    range.rule = nullptr;
  }
  range.quiet = trusted ? kFirstTrusted : kFirst;
  range.learnt->granted = range.quiet;
}

namespace {

constexpr double kMostAgreementSeconds = 1e-4;

// As long as the program, and one for each name.
const char* lasting(const std::string& text) {
  static std::mutex lock;
  static auto* const texts = new std::set<std::string>;
  const std::lock_guard guard(lock);
  return texts->insert(text).first->c_str();
}

void keep(const Learnt& learnt) {
  Rule rule = learnt.rule;
  const Trial& trial = *learnt.trial;
  const double us = 1e6 * seconds_per_tick();
  rule.algorithm = trial.takes_candidate() ? learnt.algorithm : "library";
  rule.measured = {{.bytes = static_cast<double>(rule.from_bytes),
                    .library_us = us * trial.library_time(),
                    .algorithm_us = us * trial.candidate_time(),
                    .least_gain = trial.least_gain()}};
  keep_learnt(rule);
}

}  // namespace

void describe_learnt(const Learnt& learnt, bool is_trial, AnyFunction* function, Call& call) {
  if (function == nullptr) {
    call.reason = is_trial || !learnt.decided() ? "learning" : "the library is faster (learnt)";
    return;
  }
  const std::string& name = function == learnt.base ? learnt.base_algorithm : learnt.algorithm;
  call.algorithm = lasting(name + (is_trial ? " (learning)" : " (learnt)"));
  if (is_trial || !learnt.decided()) return;
  call.saved_s = seconds_per_tick() * learnt.trial->least_saving();
}

namespace {

// After a first decision: what is tried next, if there is anything.
void go_on(SizeRange& range) {
  Learnt& learnt = *range.learnt;
  const Trial& trial = *learnt.trial;
  const bool taken = trial.takes_candidate();
  Trial::Start& start = learnt.start;
  start.promising = false;
  if (learnt.base != nullptr) {
    // The better of the two has the library as its rival from now on.
    if (!taken) {
      learnt.candidate = learnt.base;
      learnt.algorithm = learnt.base_algorithm;
    }
    learnt.base = nullptr;
    start.candidate = true;
    start.candidate_time = taken ? trial.candidate_time() : trial.library_time();
    start.least_gain *= taken ? trial.least_gain() : 1;
    range.quiet = kFirstTrusted;
  } else {
    if (taken) {
      learnt.base = std::exchange(learnt.candidate, learnt.rival);
      learnt.base_algorithm = learnt.algorithm;
      start.library_time = trial.library_time();
      start.least_gain = trial.least_gain();
    } else {
      learnt.candidate = learnt.rival;
    }
    learnt.algorithm = kCandidate;
    learnt.rival = nullptr;
    range.quiet = kFirst;
  }
  learnt.granted = range.quiet;
  learnt.trial = std::make_unique<Trial>(start);
}

}  // namespace

void learn(SizeRange& range, MPI_Comm comm, bool one_clock, std::uint64_t begin,
           std::uint64_t end) {
  Learnt& learnt = *range.learnt;
  Trial& trial = *learnt.trial;
  trial.pass(std::exchange(learnt.granted, 0), overhead_budget());
  range.quiet = 0;
  if (!trial.note(begin, end)) return;
  const auto now = static_cast<double>(ticks());
  const std::span<double> evidence = trial.evidence(overhead_budget().left(now), now);
  const int code = PMPI_Allreduce(MPI_IN_PLACE, evidence.data(), static_cast<int>(evidence.size()),
                                  MPI_DOUBLE, MPI_MAX, comm);
  if (code != MPI_SUCCESS) {
    range.quiet = INT64_MAX;
    return;
  }
  // Who waits for a late rank would have waited for it in the next call, and a process that loses
  // its core would have lost it elsewhere.
  const double came = one_clock ? std::max(now, trial.last_came()) : now;
  const double most = kMostAgreementSeconds / seconds_per_tick();
  overhead_budget().lose(std::min(static_cast<double>(ticks()) - came, most));
  const bool first = !trial.decided();
  const bool before = trial.takes_candidate();
  range.quiet = learnt.granted = trial.conclude(overhead_budget());
  range.function = trial.takes_candidate() ? learnt.candidate : learnt.base;
  if (!trial.decided() || (!first && before == trial.takes_candidate())) return;
  if (learnt.rival != nullptr) {
    if (trial.takes_candidate()) keep(learnt);
    go_on(range);
    return;
  }
  if (learnt.base != nullptr) go_on(range);
  keep(learnt);
}

}  // namespace leadline::runtime
