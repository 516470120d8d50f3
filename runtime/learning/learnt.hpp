// What a communicator learns of one collective and range of sizes, and what is known before.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/learning/trial.hpp"
#include "runtime/profile/profile.hpp"
#include "runtime/report/call_counts.hpp"

namespace leadline::runtime {

using AnyFunction = void();
struct KnownCollective;
struct SizeRange;

struct Learnt {
  AnyFunction* candidate;  // in turn with the library
  Rule rule;               // as it is kept for the next run, but for the choice and the times
  std::string algorithm;   // the candidate's name
  Trial::Start start;
  // What a run without a profile would try, still to be held against the profile's candidate.
  AnyFunction* rival = nullptr;
  // The profile's candidate in the place of the library, while its rival is tried.
  AnyFunction* base = nullptr;
  std::string base_algorithm = {};
  std::unique_ptr<Trial> trial = nullptr;  // from the first trial on: few classes have any
  std::int64_t granted = 0;                // calls that the last rest was to last

  bool decided() const { return trial != nullptr && trial->decided(); }
  // For the next call, which is a trial.
  bool tries_candidate() {
    if (trial == nullptr) trial = std::make_unique<Trial>(start);
    return trial->tries_candidate();
  }
};

// What the report says of a call of it, carried out by `function`: whether a trial.
void describe_learnt(const Learnt& learnt, bool is_trial, AnyFunction* function, Call& call);

// Collective at some calls, of which all ranks know: a call of a range on `comm`, which was a
// trial, began and ended so. `one_clock`: all ranks read the same.
void learn(SizeRange& range, MPI_Comm comm, bool one_clock, std::uint64_t begin, std::uint64_t end);

// A rule for a communicator.
struct Prior {
  const Rule* rule;
  bool here;    // for just this number of nodes and processes
  bool learnt;  // by a program
};

// The rules for a communicator: of several for one size, the first is to be taken. What programs
// learnt here comes before the profile, and that before the table that ships. Where none fits and
// it `learns`, those for the nearest shape.
std::vector<Prior> fitting_rules(std::string_view collective, int nodes, int processes,
                                 bool learns);

// The last size of each class of sizes that is learnt by itself: those with as many bits.
std::set<std::size_t> ends_of_classes();

struct Shape {
  int nodes;
  int processes;
  bool one_clock;
};

// Has a range, which begins at `from` bytes and has its function and the rule `prior`, learn if
// there is anything to try. What a program learnt here is in use from the beginning. What a profile
// says is proved first, as what a run without one tries, which is then held against it: the
// profile only says what is tried first.
void start_learning(SizeRange& range, const KnownCollective& collective, std::size_t from,
                    const Prior* prior, const Shape& shape);

}  // namespace leadline::runtime
