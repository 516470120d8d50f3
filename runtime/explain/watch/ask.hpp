// The answer of `leadline stuck`, which knows more reasons for a hang than the watcher.
#pragma once

#include <functional>
#include <string>

namespace leadline::explain {

struct Answer {
  enum class Verdict { kStuck, kMoves, kNone } verdict = Verdict::kNone;
  std::string text;
};

// What surely is a hang of the job, of which this folder is that of this node. LEADLINE_COMMAND is
// the program `leadline`; without it, or where it fails, there is no answer. Nor is there one when
// nobody needs it any more, which is asked again and again.
Answer ask_leadline(const std::string& folder, const std::function<bool()>& is_needed);
// With this its answer begins.
constexpr char kMark[] = "=== leadline stuck: ";

}  // namespace leadline::explain
