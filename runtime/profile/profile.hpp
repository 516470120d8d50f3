// Which algorithm is best for which collective, communicator and size, on one machine and MPI.
//
// A file of TOML, of which the reader knows: comments, `key = value` with integers and basic
// strings, arrays of numbers (over several lines, nested), and [[rule]].
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace leadline::runtime {

struct Rule {
  // One size at which tuning measured; times of one call, in microseconds.
  struct Measured {
    double bytes;
    double library_us;
    double algorithm_us;
    double least_gain;  // library over algorithm, with confidence
  };

  std::string collective;
  int nodes = 0;      // 0: any number
  int processes = 0;  // 0: any number
  std::size_t from_bytes = 0;
  std::size_t to_bytes = SIZE_MAX;  // inclusive
  std::string algorithm;            // "library": the library's own
  std::vector<Measured> measured;
  int line = 0;  // of the file, where the rule begins
};

struct Profile {
  std::string machine;
  std::string library;
  std::vector<Rule> rules;
  // Of the file's text: ranks that have the same profile have the same number here.
  std::uint64_t digest = 0;
  bool refused = false;  // it cannot be used here
};

// What the library says of itself, such as MPI_Get_library_version, with one blank after each word.
// Each engine has one.
std::string library_version();
std::string one_blank_between_words(const std::string& text);

// What the rule names that there is none of, such as `algorithm "quick" of bcast`; empty where all
// is known, or another engine's. Each engine has one.
std::string unknown_in(const Rule& rule);

// Reads a profile. Throws std::runtime_error with one line that names the file, the line and what
// is wrong.
Profile read_profile(const char* file);

// Without rules, for this machine and library.
Profile this_profile();

// What programs learnt before, in the file that LEADLINE_LEARNT names, read as the profile; one for
// another machine or library has no rules, and nothing is said of it.
const Profile& learnt();

// The profile that LEADLINE_PROFILE names, read once, for this machine and library. Without rules
// where there is none, or where it cannot be used: then a line on standard error said why. A rule
// that names what is unknown is the library's own, after such a line.
const Profile& profile();

}  // namespace leadline::runtime
