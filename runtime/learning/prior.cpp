#include "runtime/learning/prior.hpp"

#include <climits>
#include <cstdlib>
#include <tuple>

namespace leadline::runtime {
namespace {

// What every collective of shared memory has an algorithm of.
constexpr std::string_view kCandidate = "shared";
// Calls before the first trial: where nothing is known, until the way in use is warm; where it was
// measured, seldom.
constexpr std::int64_t kFirst = 4;
constexpr std::int64_t kFirstTrusted = 1000;

bool fits(int wanted, int there) { return wanted == 0 || wanted == there; }

// How far a rule is from a communicator, the least first.
std::tuple<bool, int> distance(const Rule& rule, int nodes, int processes) {
  return {!fits(rule.nodes, nodes), std::abs(rule.processes - processes)};
}

// Data of a few ranks only: a rank cannot tell when the others are done.
Stamps stamps_of(std::string_view collective, bool one_clock) {
  if (one_clock) return Stamps::kOneClock;
  if (collective.starts_with("neighbor_")) return Stamps::kMostDuration;
  for (const std::string_view rooted :
       {"bcast", "gather", "gatherv", "reduce", "scan", "exscan", "scatter", "scatterv"}) {
    if (collective == rooted) return Stamps::kMostDuration;
  }
  return Stamps::kLeastDuration;
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
        fitting.push_back({.rule = &rule, .trusted = true});
      } else if (nearest == nullptr ||
                 distance(rule, nodes, processes) < distance(*nearest, nodes, processes)) {
        nearest = &rule;
      }
    }
  }
  for (const Rule& rule : prior().rules) {
    const bool same =
        rule.collective == collective && fits(rule.nodes, nodes) && fits(rule.processes, processes);
    if (learns && same) fitting.push_back({.rule = &rule, .trusted = false});
  }
  if (!fitting.empty() || nearest == nullptr || !learns) return fitting;
  for (const Profile* const one : known) {
    for (const Rule& rule : one->rules) {
      if (rule.collective == collective && rule.nodes == nearest->nodes &&
          rule.processes == nearest->processes) {
        fitting.push_back({.rule = &rule, .trusted = false});
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

void start_learning(Ranges::Range& range, const KnownCollective& collective, std::size_t from,
                    bool trusted, const Shape& shape) {
  const bool named = range.function != nullptr;
  AnyFunction* const candidate = named ? range.function : collective.find(kCandidate);
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
                           .stamps = stamps_of(collective.name, shape.one_clock),
                           .candidate = named,
                           .trusted = trusted}});
  range.quiet = trusted ? kFirstTrusted : kFirst;
  range.learnt->granted = range.quiet;
}

}  // namespace leadline::runtime
