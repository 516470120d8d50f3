// What was learnt, kept as a profile for the next run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/profile/profile.hpp"

namespace leadline::runtime {

// Keeps a rule that was learnt; a later one for the same range of sizes takes its place. `rule`
// has one collective, shape and range. Safe in any thread.
void keep_learnt(const Rule& rule);

// The rules of a profile with others put in their place, where they say something else of the same
// sizes of the same communicators.
std::vector<Rule> merge_rules(std::vector<Rule> rules, const std::vector<Rule>& learnt);

// As a file that read_profile reads.
std::string profile_text(const Profile& profile);

// Writes what was kept to a new file in the folder of LEADLINE_LEARN, with what the last file there
// for this machine and library has; nothing where nothing was learnt. Files are never changed: the
// ranks of a job that starts meanwhile all read the same. A line on standard error says what
// failed.
void store_learnt();

}  // namespace leadline::runtime
