#include "runtime/files/hints.hpp"

#include <fnmatch.h>

#include <stdexcept>

namespace leadline::runtime {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

bool has_any(const std::string& text, const char* characters) {
  return text.find_first_of(characters) != std::string::npos;
}

HintRule parse_rule(const std::string& text) {
  std::vector<std::string> words = split(text, ':');
  HintRule rule{.pattern = words[0], .hints = {}};
  if (rule.pattern.empty() || rule.pattern.find('=') != std::string::npos ||
      has_any(rule.pattern, " \t\n#")) {
    throw std::runtime_error("\"" + text +
                             "\" does not begin with a pattern: write *.h5:cb_nodes=4");
  }
  if (words.size() == 1)
    throw std::runtime_error("\"" + text + "\" has no hint: write *.h5:cb_nodes=4");
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == words[i].size() ||
        has_any(words[i], " \t\n#")) {
      throw std::runtime_error("\"" + words[i] + "\" is not KEY=VALUE: write cb_nodes=4");
    }
    rule.hints[words[i].substr(0, equals)] = words[i].substr(equals + 1);
  }
  return rule;
}

}  // namespace

std::vector<HintRule> parse_hints(std::string_view text) {
  std::vector<HintRule> rules;
  if (text.empty()) return rules;
  for (const std::string& rule : split(text, ',')) rules.push_back(parse_rule(rule));
  return rules;
}

std::map<std::string, std::string> hints_for(const std::vector<HintRule>& rules,
                                             const std::string& file) {
  std::map<std::string, std::string> found;
  for (const HintRule& rule : rules) {
    if (fnmatch(rule.pattern.c_str(), file.c_str(), FNM_NOESCAPE) != 0) continue;
    for (const auto& [key, value] : rule.hints) found[key] = value;
  }
  return found;
}

}  // namespace leadline::runtime
