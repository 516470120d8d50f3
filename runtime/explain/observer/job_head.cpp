#include "runtime/explain/observer/job_head.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "runtime/explain/observer/job_line.hpp"
#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {
namespace {

// The variables in which schedulers put a job's number, and that of a step of it.
constexpr const char* kJobs[][2] = {
    {"SLURM_JOB_ID", "SLURM_STEP_ID"}, {"PBS_JOBID", nullptr}, {"LSB_JOBID", nullptr},
    {"FLUX_JOB_ID", nullptr},          {"PJM_JOBID", nullptr}, {"COBALT_JOBID", nullptr},
    {"OAR_JOB_ID", nullptr},           {"JOB_ID", nullptr}};

std::string value_of(const char* variable) {
  const char* const value = variable != nullptr ? std::getenv(variable) : nullptr;
  return value != nullptr ? value : "";
}

std::string program_file() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return {path, length > 0 ? static_cast<std::size_t>(length) : 0};
}

// What Python runs: no other word of the command line is anybody's business.
std::string script_of(const std::string& program) {
  if (!program.substr(program.rfind('/') + 1).starts_with("python")) return "";
  std::string words(4096, '\0');
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file >= 0 ? read(file, words.data(), words.size()) : -1;
  if (file >= 0) close(file);
  words.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  for (std::size_t at = 0; at < words.size();) {
    const std::string word = words.c_str() + at;
    if (word.ends_with(".py")) return word.substr(word.rfind('/') + 1);
    at += word.size() + 1;
  }
  return "";
}

}  // namespace

std::string job_head(double began, const std::string& library) {
  const auto [job, step] = job_number();
  const std::string program = program_file();
  const std::string script = script_of(program);
  char time[32];
  std::snprintf(time, sizeof time, "%.3f", began);
  std::string text = line("leadline-job", 1) + line("began", std::string(time)) +
                     line("job", field(job), field(step)) + line("program", field(program));
  if (!script.empty()) text += line("script", field(script));
  return text + line("library", field(library)) + line("api", field(std::string(kApi))) +
         line("ranks", observer.ranks);
}

JobNumber job_number() {
  for (const auto& [job, step] : kJobs) {
    if (const std::string number = value_of(job); !number.empty()) return {number, value_of(step)};
  }
  return {};
}

}  // namespace leadline::explain
