// What a communicator learns of one collective and range of sizes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/learning/lesson.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/report/ledger.hpp"

namespace leadline::runtime {

struct Learnt {
  void (*candidate)();    // in turn with the library
  Rule rule;              // as it is kept for the next run, but for the choice and the times
  std::string algorithm;  // the candidate's name
  Lesson::Start start;
  std::unique_ptr<Lesson> lesson = nullptr;  // from the first trial on: few classes have any
  std::int64_t granted = 0;                  // calls that the last rest was to last

  bool decided() const { return lesson != nullptr && lesson->decided(); }
  // For the next call, which is a trial.
  bool tries_candidate() {
    if (lesson == nullptr) lesson = std::make_unique<Lesson>(start);
    return lesson->tries_candidate();
  }
};

// What the report says of a call of it: whether a trial, and by the candidate.
void describe_learnt(const Learnt& learnt, bool trial, bool by_candidate, Call& call);

}  // namespace leadline::runtime
