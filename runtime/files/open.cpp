// MPI_File_open with the hints of LEADLINE_MPIIO_HINTS beside the program's own, which come first.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"
#include "runtime/engine/communicator_state.hpp"
#include "runtime/engine/interception.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/files/hints.hpp"
#include "runtime/fortran/caller.hpp"
#include "runtime/report/call_counts.hpp"
#include "runtime/report/rows.hpp"
#include "runtime/shared/warn.hpp"

namespace leadline::runtime {
namespace {

using Hints = std::map<std::string, std::string>;

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

// Of ranks with different hints, a file system's driver makes an error.
Hints hints_of(MPI_Comm comm, const std::string& name) {
  return CommunicatorState::alike(comm).hints ? hints_for(rules(), name) : Hints{};
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

Hints taken(MPI_File file) {
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

void note(MPI_Comm comm, const std::string& name, const Hints& requested, MPI_File file) {
  int rank = 0;
  if (!kReporting || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || rank != 0) return;
  FileRow row{};
  std::snprintf(row.name, sizeof row.name, "%s", name.c_str());
  std::snprintf(row.requested, sizeof row.requested, "%s", words(requested).c_str());
  std::snprintf(row.taken, sizeof row.taken, "%s", words(taken(file)).c_str());
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
