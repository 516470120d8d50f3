// The answer of `leadline stuck`, which knows more reasons for a hang than the watcher.
#pragma once

#include <string>

namespace leadline::explain {

struct Answer {
  enum class Verdict { kStuck, kMoves, kNone } verdict = Verdict::kNone;
  std::string text;
};

// Of the job whose nodes' files lie in this folder: all that it finds, or what surely is a hang.
// LEADLINE_COMMAND is the program `leadline`; without it, or where it fails, there is no answer.
enum class About { kAll, kSureHangs };
Answer ask_leadline(const std::string& folder, About about);

}  // namespace leadline::explain
