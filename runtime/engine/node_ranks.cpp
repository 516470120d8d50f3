#include "runtime/engine/node_ranks.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "runtime/preload/engine.hpp"
#include "runtime/shared/warn.hpp"

namespace leadline::runtime {
namespace {

std::string read(pid_t process, const char* what) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/" + what);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// What the process was started with; empty where it has no such variable, or cannot be seen.
std::string variable_of(pid_t process, const char* name) {
  const std::string variables = '\0' + read(process, "environ");
  const std::string key = std::string(1, '\0') + name + "=";
  const std::size_t at = variables.find(key);
  return at != std::string::npos ? variables.c_str() + at + key.size() : "";
}

// Negative where the text is not a number.
int number_in(const std::string& text) {
  int number = -1;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && after == end ? number : -1;
}

// Negative where the launcher gave the process none, or it cannot be seen.
int rank_of(pid_t process) {
  for (const char* const* name = leadline_rank_variables; *name != nullptr; ++name) {
    const std::string rank = variable_of(process, *name);
    if (!rank.empty()) return number_in(rank);
  }
  return -1;
}

// Processes that the job spawns may have the same launcher, and ranks of their own.
bool is_of_this_job(pid_t process) {
  const char* const names[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID"};
  return std::all_of(std::begin(names), std::end(names), [&](const char* name) {
    return variable_of(process, name) == variable_of(getpid(), name);
  });
}

pid_t parent_of(pid_t process) {
  const std::string status = read(process, "stat");
  const std::size_t name_end = status.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(status.substr(name_end + 1));
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

// The process that started this node's ranks: the first ancestor that is not the rank itself, a
// script for example.
pid_t launcher() {
  const int rank = rank_of(getpid());
  pid_t process = parent_of(getpid());
  while (process > 1 && rank_of(process) == rank) process = parent_of(process);
  return process;
}

bool descends_from(pid_t ancestor, pid_t process) {
  while (process > 1 && process != ancestor) process = parent_of(process);
  return process == ancestor;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// What the list of mappings has of this process's MPI, whatever the path that leads to it.
std::string mpi_in_mappings() {
  Dl_info library;
  struct stat status{};
  if (dladdr(reinterpret_cast<void*>(&PMPI_Allreduce), &library) == 0 ||
      stat(library.dli_fname, &status) != 0) {
    return {};
  }
  char text[64];
  std::snprintf(text, sizeof text, " %02x:%02x %lu ", major(status.st_dev), minor(status.st_dev),
                static_cast<unsigned long>(status.st_ino));
  return text;
}

}  // namespace

NodeRanks find_node_ranks() {
  NodeRanks found;
  Dl_info preloaded;
  const std::string mpi = mpi_in_mappings();
  const pid_t parent = launcher();
  if (mpi.empty() || parent <= 1 ||
      dladdr(reinterpret_cast<void*>(&leadline_warn), &preloaded) == 0) {
    return found;
  }
  const std::string own = "/" + std::string(file_name(preloaded.dli_fname)) + "\n";
  // A rank may start processes that have its variables. One with leadline is the rank.
  std::map<int, bool> has_leadline;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const pid_t process = number_in(entry.path().filename().string());
    if (process <= 1) continue;
    const int rank = rank_of(process);
    if (rank < 0 || !is_of_this_job(process) || !descends_from(parent, process)) continue;
    const std::string mappings = read(process, "maps");
    if (mappings.find(mpi) == std::string::npos) continue;
    has_leadline[rank] |=
        mappings.find(own) != std::string::npos && mappings.find(kUnusedMark) == std::string::npos;
  }
  for (const auto& [rank, has] : has_leadline) {
    (has ? found.with_leadline : found.without_leadline).push_back(rank);
  }
  return found;
}

}  // namespace leadline::runtime
