// The answer of `leadline stuck`, which knows more reasons for a hang than the watcher.
#pragma once

#include <string>

namespace leadline::explain {

struct Answer {
  enum class Verdict { kStuck, kMoves, kNone } verdict;
  std::string text;
};

// Of a job that nobody has asked about, whose nodes' files lie in this folder. LEADLINE_COMMAND is
// the program `leadline`; without it, or where it fails, there is none.
Answer ask_leadline(const std::string& folder);

}  // namespace leadline::explain
