// The watcher's own messages, without `leadline stuck`, in lines of 80 columns.
#pragma once

#include <string>
#include <vector>

#include "runtime/explain/observer/format.hpp"
#include "runtime/explain/watch/ranks.hpp"

namespace leadline::explain {

// "leadline: TIME: WHAT", a line.
std::string heading(const std::string& what);
// A sentence, broken into lines that begin with so many spaces.
std::string filled(const std::string& sentence, std::size_t spaces = 2);

std::string seconds_in_words(double seconds);
// "rank 3", "ranks 0-2, 5".
std::string ranks_in_words(std::vector<u32> ranks);

// Which ranks are dead, and how they ended.
std::string words_of(const NodeFile& file, const std::vector<Death>& deaths, bool memory_was_short);
// Where the ranks of this node are, and those are whose processes are gone: a line for each call.
std::string calls_of(const NodeFile& file);

// Whether there are ranks of this node that have not ended, and all of them are in calls.
bool are_all_in_calls(const NodeFile& file);

}  // namespace leadline::explain
