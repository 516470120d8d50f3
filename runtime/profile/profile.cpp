#include "runtime/profile/profile.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "runtime/engine/settings.hpp"
#include "runtime/profile/toml.hpp"
#include "runtime/shared/warn.hpp"

// In libleadline.so.
extern "C" char* leadline_machine(char* name, std::size_t room);

namespace leadline::runtime {
namespace {

constexpr double kFormat = 1;

// All whole numbers up to it are exact.
constexpr double kMostBytes = 9007199254740992.0;

[[noreturn]] void fail(const toml::Entry& entry, const std::string& what) {
  throw std::runtime_error("line " + std::to_string(entry.line) + ": " + entry.key + " " + what);
}

const std::string& text_of(const toml::Entry& entry) {
  const auto* const text = std::get_if<std::string>(&entry.value);
  if (text == nullptr) fail(entry, "is a string in quotes");
  return *text;
}

double whole_number_of(const toml::Entry& entry, double least = 0, double most = kMostBytes) {
  const auto* const number = std::get_if<double>(&entry.value);
  // Not the opposite: nothing compares with what is no number.
  if (number == nullptr || !(*number >= least && *number <= most) ||
      *number != std::floor(*number)) {
    fail(entry, least == 0 ? "is a whole number from 0" : "is a whole number from 1");
  }
  return *number;
}

int count_of(const toml::Entry& entry) {
  return static_cast<int>(whole_number_of(entry, 1, std::numeric_limits<int>::max()));
}

std::vector<Rule::Measured> measured_of(const toml::Entry& entry) {
  const auto* const row = std::get_if<std::vector<double>>(&entry.value);
  if (row == nullptr || row->size() % 4 != 0) fail(entry, "is an array of rows of four numbers");
  std::vector<Rule::Measured> measured;
  for (std::size_t i = 0; i < row->size(); i += 4) {
    measured.push_back({(*row)[i], (*row)[i + 1], (*row)[i + 2], (*row)[i + 3]});
  }
  return measured;
}

void take(const toml::Entry& entry, Rule& rule) {
  if (entry.key == "collective") {
    rule.collective = text_of(entry);
  } else if (entry.key == "algorithm") {
    rule.algorithm = text_of(entry);
  } else if (entry.key == "nodes") {
    rule.nodes = count_of(entry);
  } else if (entry.key == "processes") {
    rule.processes = count_of(entry);
  } else if (entry.key == "from_bytes") {
    rule.from_bytes = static_cast<std::size_t>(whole_number_of(entry));
  } else if (entry.key == "to_bytes") {
    rule.to_bytes = static_cast<std::size_t>(whole_number_of(entry));
  } else if (entry.key == "measured") {
    rule.measured = measured_of(entry);
  } else {
    fail(entry, "is no key of a rule");
  }
}

[[noreturn]] void fail(const Rule& rule, const std::string& what) {
  throw std::runtime_error("line " + std::to_string(rule.line) + ": the rule " + what);
}

bool same_communicators(const Rule& one, const Rule& other) {
  return one.collective == other.collective && one.nodes == other.nodes &&
         one.processes == other.processes;
}

// Of two rules for the same size, one would never be taken, and nobody could say why.
void require_sense(const std::vector<Rule>& rules) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    if (rule.collective.empty()) fail(rule, "names no collective");
    if (rule.algorithm.empty()) fail(rule, "names no algorithm");
    if (rule.to_bytes < rule.from_bytes) fail(rule, "has a to_bytes below its from_bytes");
    for (std::size_t j = 0; j < i; ++j) {
      const Rule& before = rules[j];
      if (same_communicators(before, rule) && rule.from_bytes <= before.to_bytes &&
          before.from_bytes <= rule.to_bytes) {
        fail(rule, "overlaps with the one in line " + std::to_string(before.line));
      }
    }
  }
}

// What `leadline exec` puts into force before the program starts, and what that was worth.
bool is_for_launcher(const std::string& table) { return table == "setting" || table == "effect"; }

Profile understand(const std::string& text) {
  Profile profile;
  double format = 0;
  std::set<std::tuple<std::string, int, std::string>> seen;
  for (const toml::Entry& entry : toml::parse(text)) {
    if (!seen.emplace(entry.table, entry.index, entry.key).second) fail(entry, "is there twice");
    if (entry.table == "rule") {
      profile.rules.resize(static_cast<std::size_t>(entry.index) + 1);
      Rule& rule = profile.rules.back();
      if (rule.line == 0) rule.line = entry.line;
      take(entry, rule);
    } else if (entry.table.empty() && entry.key == "format") {
      format = whole_number_of(entry);
    } else if (entry.table.empty() && entry.key == "machine") {
      profile.machine = text_of(entry);
    } else if (entry.table.empty() && entry.key == "library") {
      profile.library = text_of(entry);
    } else if (!entry.table.empty() && !is_for_launcher(entry.table)) {
      fail(entry,
           "is in [[" + entry.table + "]]: only [[rule]], [[setting]], [[effect]] are known");
    }
  }
  if (format != kFormat) {
    throw std::runtime_error("its format is not 1: write it anew with `leadline tune`");
  }
  require_sense(profile.rules);
  profile.digest = 1469598103934665603U;  // FNV-1a
  for (const char c : text) {
    profile.digest = (profile.digest ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return profile;
}

void require_this_machine(const Profile& profile) {
  char machine[256];
  leadline_machine(machine, sizeof machine);
  if (profile.machine != machine) {
    throw std::runtime_error("it is for the machine \"" + profile.machine + "\", but this is \"" +
                             machine + "\": tune here with `leadline tune`");
  }
  const std::string library = library_version();
  if (profile.library.empty() || library.find(profile.library) == std::string::npos) {
    throw std::runtime_error("it is for \"" + profile.library + "\", but this is \"" +
                             library.substr(0, 60) + "\": tune here with `leadline tune`");
  }
}

Profile load(const char* file) {
  if (*file == '\0') return {};
  try {
    Profile profile = read_profile(file);
    require_this_machine(profile);
    for (const Rule& rule : profile.rules) {
      const std::string unknown = unknown_in(rule);
      if (unknown.empty()) continue;
      leadline_warn(("the profile " + std::string(file) + ", line " + std::to_string(rule.line) +
                     ": there is no " + unknown + ": the library's own is taken")
                        .c_str());
    }
    return profile;
  } catch (const std::exception& error) {
    leadline_warn(("the profile " + std::string(file) + " is not used: " + error.what()).c_str());
  }
  // Not 0: other ranks may have a profile, and must learn that this one has none.
  return {.digest = 1, .refused = true};
}

// Without a word where it is of no use: nobody has chosen the file.
Profile load_quietly(const char* file) {
  if (*file == '\0') return {};
  try {
    Profile profile = read_profile(file);
    require_this_machine(profile);
    if (library_version().find(profile.library) != std::string::npos) return profile;
  } catch (const std::exception&) {
    return {.digest = 1, .refused = true};
  }
  return {.digest = 1, .refused = true};
}

}  // namespace

std::string one_blank_between_words(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) all += word + " ";
  return all;
}

Profile read_profile(const char* file) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) throw std::runtime_error("it cannot be read");
  return understand(text.str());
}

Profile this_profile() {
  char machine[256];
  leadline_machine(machine, sizeof machine);
  // As much as tells versions apart, and no character that a string would have to escape.
  std::string library = library_version().substr(0, 60);
  library = library.substr(0, library.find_first_of("\"\\\n"));
  return {.machine = machine, .library = library};
}

const Profile& learnt() {
  static const Profile learnt = load_quietly(runtime_settings().learnt);
  return learnt;
}

const Profile& profile() {
  static const Profile profile = load(runtime_settings().profile);
  return profile;
}

}  // namespace leadline::runtime
