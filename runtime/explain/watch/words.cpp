#include "runtime/explain/watch/words.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <sstream>
#include <utility>

namespace leadline::explain {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kMostCalls = 8;

std::string in(const char* text, std::size_t room) { return {text, strnlen(text, room)}; }

// As the end of a sentence about one rank, or several.
std::string how_they_ended(std::optional<int> status, bool are_several) {
  if (!status) return are_several ? "are gone" : "is gone";
  if (WIFEXITED(*status)) {
    return "ended with status " + std::to_string(WEXITSTATUS(*status)) + " before MPI's end";
  }
  const int signal = WTERMSIG(*status);
  return std::string(are_several ? "were" : "was") + " killed by signal " + std::to_string(signal) +
         ", " + strsignal(signal);
}

State state_of(const Block& block) { return static_cast<State>(block.state); }

}  // namespace

std::string heading(const std::string& what) {
  const std::time_t now = std::time(nullptr);
  std::tm when{};
  char time[32] = "";
  std::strftime(time, sizeof time, "%F %T%z", localtime_r(&now, &when));
  std::string text = time;
  if (text.size() > 2) text.insert(text.size() - 2, ":");
  return "leadline: " + text + ": " + what + "\n";
}

std::string filled(const std::string& sentence, std::size_t spaces) {
  std::istringstream words(sentence);
  std::string text;
  std::string line(spaces, ' ');
  for (std::string word; words >> word;) {
    const bool is_first = line.size() == spaces;
    if (!is_first && line.size() + 1 + word.size() > kColumns) {
      text += line + '\n';
      line.assign(spaces + 2, ' ');
      line += word;
    } else {
      line += (is_first ? "" : " ") + word;
    }
  }
  return text + line + '\n';
}

std::string seconds_in_words(double seconds) {
  constexpr double kMinute = 60;
  const bool is_long = seconds >= 10 * kMinute;
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %s", is_long ? seconds / kMinute : seconds,
                is_long ? "min" : "s");
  return text;
}

std::string ranks_in_words(std::vector<u32> ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (i != 0) text += ", ";
    text += std::to_string(ranks[i]);
    if (last != i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string words_of(const NodeFile& file, const std::vector<Death>& deaths,
                     bool memory_was_short) {
  std::map<std::optional<int>, std::vector<u32>> groups;
  for (const Death& death : deaths) groups[death.status].push_back(file.block(death.index).rank);
  const std::string host = in(file.header().host, sizeof(Header::host));
  std::string text;
  for (const auto& [status, ranks] : groups) {
    std::string sentence = ranks_in_words(ranks) + " (";
    if (deaths.size() == 1) sentence += "process " + std::to_string(deaths[0].pid) + " ";
    sentence += "on " + host + ") " + how_they_ended(status, ranks.size() > 1) + ".";
    sentence[0] = 'R';
    text += filled(sentence);
  }
  if (memory_was_short) {
    text += filled("The kernel has just ended a process of this host because memory was short.");
  }
  return text;
}

std::string calls_of(const NodeFile& file) {
  std::map<std::pair<std::string, bool>, std::vector<u32>> groups;
  const Header& header = file.header();
  for (u32 index = 0; index < header.ranks_here; ++index) {
    const Block& block = file.block(static_cast<int>(index));
    const bool is_gone = state_of(block) == State::kGone;
    if (block.rank == kNoRank || (state_of(block) != State::kRunning && !is_gone)) continue;
    const u32 function = block.current.function;
    std::string call = "its own code";
    if (function != 0 && function < header.functions) {
      const FunctionName& name = file.functions()[function];
      call = in(name.name, sizeof name.name);
      const auto* const sites =
          reinterpret_cast<const Site*>(reinterpret_cast<const std::byte*>(&block) + kSitesOffset);
      if (block.current.site != 0 && block.current.site < kSites) {
        const Site& site = sites[block.current.site];
        call += " at " + in(site.text, sizeof site.text);
      }
    }
    groups[{call, is_gone}].push_back(block.rank);
  }
  std::string text;
  std::size_t told = 0;
  for (const auto& [group, ranks] : groups) {
    if (++told > kMostCalls) {
      return text + filled(std::to_string(groups.size() - kMostCalls) + " other calls");
    }
    const auto& [call, is_gone] = group;
    const char* const verb = ranks.size() == 1 ? (is_gone ? "was" : "is")
                             : is_gone         ? "were"
                                               : "are";
    text += filled(ranks_in_words(ranks) + " " + verb + " in " + call);
  }
  return text;
}

bool are_all_in_calls(const NodeFile& file) {
  bool is_one = false;
  for (u32 index = 0; index < file.header().ranks_here; ++index) {
    const Block& block = file.block(static_cast<int>(index));
    if (state_of(block) != State::kRunning) continue;
    if (block.current.function == 0) return false;
    is_one = true;
  }
  return is_one;
}

}  // namespace leadline::explain
