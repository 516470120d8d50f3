// How the ranks of a communicator learn together.
#include "runtime/learning/learnt.hpp"

#include <mpi.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "runtime/engine/adopted.hpp"
#include "runtime/learning/notebook.hpp"
#include "runtime/learning/purse.hpp"

namespace leadline::runtime {
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
  const Lesson& lesson = *learnt.lesson;
  const double us = 1e6 * seconds_per_tick();
  rule.algorithm = lesson.takes_candidate() ? learnt.algorithm : "library";
  rule.measured = {{.bytes = static_cast<double>(rule.from_bytes),
                    .library_us = us * lesson.library_time(),
                    .algorithm_us = us * lesson.candidate_time(),
                    .least_gain = lesson.least_gain()}};
  keep_learnt(rule);
}

}  // namespace

void describe_learnt(const Learnt& learnt, bool trial, bool by_candidate, Call& call) {
  if (!by_candidate) {
    call.reason = trial || !learnt.decided() ? "learning" : "the library is faster (learnt)";
    return;
  }
  call.algorithm = lasting(learnt.algorithm + (trial ? " (learning)" : " (learnt)"));
  if (trial || !learnt.decided()) return;
  call.library_s = seconds_per_tick() * learnt.lesson->library_time();
  call.algorithm_s = seconds_per_tick() * learnt.lesson->candidate_time();
}

void Adopted::learn(Ranges::Range& range, std::uint64_t begin, std::uint64_t end) {
  Learnt& learnt = *range.learnt;
  Lesson& lesson = *learnt.lesson;
  lesson.pass(std::exchange(learnt.granted, 0), purse());
  range.quiet = 0;
  if (!lesson.note(begin, end)) return;
  const auto now = static_cast<double>(ticks());
  const std::span<double> evidence = lesson.evidence(purse().left(now), now);
  const int code = PMPI_Allreduce(MPI_IN_PLACE, evidence.data(), static_cast<int>(evidence.size()),
                                  MPI_DOUBLE, MPI_MAX, comm_);
  if (code != MPI_SUCCESS) {
    range.quiet = INT64_MAX;
    return;
  }
  // Who waits for a late rank would have waited for it in the next call, and a process that loses
  // its core would have lost it elsewhere.
  const double came = one_clock_ ? std::max(now, lesson.last_came()) : now;
  const double most = kMostAgreementSeconds / seconds_per_tick();
  purse().lose(std::min(static_cast<double>(ticks()) - came, most));
  const bool first = !lesson.decided();
  const bool before = lesson.takes_candidate();
  range.quiet = learnt.granted = lesson.conclude(purse());
  range.function = lesson.takes_candidate() ? learnt.candidate : nullptr;
  if (lesson.decided() && (first || before != lesson.takes_candidate())) keep(learnt);
}

}  // namespace leadline::runtime
