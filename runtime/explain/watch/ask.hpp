// The answer of `leadline stuck`, which knows more reasons for a hang than the watcher.
#pragma once

#include <functional>
#include <string>

namespace leadline::explain {

struct Answer {
  enum class Verdict { kStuck, kMoves, kNone } verdict = Verdict::kNone;
  std::string text;
};

// Of the job whose nodes' files lie in this folder: all that it finds, or what surely is a hang.
// LEADLINE_COMMAND is the program `leadline`; without it, or where it fails, there is no answer.
// Nor is there one when nobody needs it any more, which is asked again and again.
enum class About { kAll, kSureHangs };
Answer ask_leadline(const std::string& folder, About about, const std::function<bool()>& is_needed);
// With this its answer begins.
constexpr char kMark[] = "=== leadline stuck: ";

}  // namespace leadline::explain
