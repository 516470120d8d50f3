// MPI_File_open with the hints of LEADLINE_MPIIO_HINTS beside the program's own, which come first.
//
// The variable is `pattern:key=value:key=value,pattern:...`, as `leadline tune --hints` writes it
// and Cray's MPICH_MPIIO_HINTS has it. A pattern is as a shell has it, where * matches / too; every
// pattern that matches counts, a later one before an earlier one.
#include <fnmatch.h>
#include <mpi.h>

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"
#include "runtime/engine/communicator_state.hpp"
#include "runtime/engine/interception.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/report/call_counts.hpp"
#include "runtime/report/rows.hpp"
#include "runtime/shared/warn.hpp"

namespace leadline::runtime {
namespace {

using Hints = std::map<std::string, std::string>;

// No library knows it: one that returns it would return any key.
constexpr const char* kNoHint = "leadline_no_such_hint";

struct HintRule {
  std::string pattern;
  Hints hints;
};

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

// Throws std::runtime_error with one line that names what is wrong.
std::vector<HintRule> parse_hints(std::string_view text) {
  std::vector<HintRule> rules;
  if (text.empty()) return rules;
  for (const std::string& rule : split(text, ',')) rules.push_back(parse_rule(rule));
  return rules;
}

// The hints for a file of this name.
Hints hints_for(const std::vector<HintRule>& rules, const std::string& file) {
  Hints found;
  for (const HintRule& rule : rules) {
    if (fnmatch(rule.pattern.c_str(), file.c_str(), FNM_NOESCAPE) != 0) continue;
    for (const auto& [key, value] : rule.hints) found[key] = value;
  }
  return found;
}

const std::vector<HintRule>& rules() {
  static const std::vector<HintRule> rules = [] {
    try {
      return parse_hints(runtime_settings().mpiio_hints);
    } catch (const std::runtime_error& error) {
      leadline_warn((std::string("LEADLINE_MPIIO_HINTS is not used: ") + error.what()).c_str());
      return std::vector<HintRule>{};
    }
  }();
  return rules;
}

std::string words(const Hints& hints) {
  std::string all;
  for (const auto& [key, value] : hints) {
    all.append(all.empty() ? "" : " ").append(key).append("=").append(value);
  }
  return all.empty() ? "nothing" : all;
}

// Of ranks with different hints, a file system's driver makes an error. What comes of them is asked
// where all ranks report.
Hints hints_of(MPI_Comm comm, const std::string& name) {
  const auto alike = CommunicatorState::alike(comm);
  Hints hints = alike.hints ? hints_for(rules(), name) : Hints{};
  if (!hints.empty() && kReporting && alike.report) hints[kNoHint] = "1";
  return hints;
}

// The program's own hints with those that it does not give.
class Merged {
 public:
  Merged(MPI_Info own, const Hints& hints) {
    if (!hints.empty() && merge(own, hints) != MPI_SUCCESS) free();
  }
  ~Merged() { free(); }
  Merged(const Merged&) = delete;
  Merged& operator=(const Merged&) = delete;

  bool there() const { return info_ != MPI_INFO_NULL; }
  MPI_Info info() const { return info_; }

 private:
  int merge(MPI_Info own, const Hints& hints) {
    RETURN_IF_FAILED(own == MPI_INFO_NULL ? PMPI_Info_create(&info_) : PMPI_Info_dup(own, &info_));
    for (const auto& [key, value] : hints) {
      int length = 0;
      int given = 0;
      RETURN_IF_FAILED(PMPI_Info_get_valuelen(info_, key.c_str(), &length, &given));
      if (given == 0) RETURN_IF_FAILED(PMPI_Info_set(info_, key.c_str(), value.c_str()));
    }
    return MPI_SUCCESS;
  }
  void free() {
    if (there()) PMPI_Info_free(&info_);
  }

  MPI_Info info_ = MPI_INFO_NULL;
};

Hints returned(MPI_File file) {
  Hints hints;
  MPI_Info info = MPI_INFO_NULL;
  int keys = 0;
  if (PMPI_File_get_info(file, &info) != MPI_SUCCESS || info == MPI_INFO_NULL) return hints;
  PMPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY + 1];
    char value[MPI_MAX_INFO_VAL + 1];
    int given = 0;
    if (PMPI_Info_get_nthkey(info, i, key) != MPI_SUCCESS) continue;
    PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &given);
    if (given != 0) hints[key] = value;
  }
  PMPI_Info_free(&info);
  return hints;
}

void note(MPI_Comm comm, const std::string& name, Hints requested, MPI_File file) {
  int rank = 0;
  if (!kReporting || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || rank != 0) return;
  const bool tried = requested.erase(kNoHint) > 0;
  Hints back = returned(file);
  const bool echoed = back.erase(kNoHint) > 0;
  FileRow row{};
  std::snprintf(row.name, sizeof row.name, "%s", name.c_str());
  std::snprintf(row.requested, sizeof row.requested, "%s", words(requested).c_str());
  std::snprintf(row.returned, sizeof row.returned, "%s", words(back).c_str());
  row.echo = !tried ? Echo::kUntried : echoed ? Echo::kReturned : Echo::kAbsent;
  row.opened = 1;
  note_file(row);
}

using Open = int(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file);
Open* library_open = nullptr;

int open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
  if (name == nullptr) return library_open(comm, name, mode, info, file);
  const Hints hints = hints_of(comm, name);
  const Merged merged(info, hints);
  const int code = library_open(comm, name, mode, merged.there() ? merged.info() : info, file);
  if (code == MPI_SUCCESS) note(comm, name, hints, *file);
  return code;
}

// Fortran hands the length of the name over behind all arguments.
using FortranOpen = void(const MPI_Fint* comm, const char* name, const MPI_Fint* mode,
                         const MPI_Fint* info, MPI_Fint* file, MPI_Fint* ierror, int length);
FortranOpen* library_fortran_open = nullptr;

void fortran_open(const MPI_Fint* comm, const char* name, const MPI_Fint* mode,
                  const MPI_Fint* info, MPI_Fint* file, MPI_Fint* ierror, int length) {
  std::string trimmed(name, static_cast<std::size_t>(length));
  trimmed.erase(trimmed.find_last_not_of(' ') + 1);
  const Hints hints = hints_of(PMPI_Comm_f2c(*comm), trimmed);
  const Merged merged(PMPI_Info_f2c(*info), hints);
  const MPI_Fint given = merged.there() ? PMPI_Info_c2f(merged.info()) : *info;
  MPI_Fint unwanted = MPI_SUCCESS;
  MPI_Fint* const code = ierror != nullptr ? ierror : &unwanted;
  library_fortran_open(comm, name, mode, &given, file, code, length);
  if (*code == MPI_SUCCESS) note(PMPI_Comm_f2c(*comm), trimmed, hints, PMPI_File_f2c(*file));
}

const Interception interception{"MPI_File_open", open, library_open};
const FortranInterceptions fortran_interceptions{"file_open", fortran_open, library_fortran_open};

}  // namespace
}  // namespace leadline::runtime
