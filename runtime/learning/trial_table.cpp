#include "runtime/learning/trial_table.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>

#include "runtime/engine/settings.hpp"
#include "runtime/shared/warn.hpp"

namespace leadline::runtime {
namespace {

namespace fs = std::filesystem;

std::mutex lock;
std::vector<Rule>& kept() {
  // Never destroyed: threads may still call while the program ends.
  static auto* const rules = new std::vector<Rule>;
  return *rules;
}

bool same_communicators(const Rule& one, const Rule& other) {
  return one.collective == other.collective && one.nodes == other.nodes &&
         one.processes == other.processes;
}

bool overlap(const Rule& one, const Rule& other) {
  return same_communicators(one, other) && one.from_bytes <= other.to_bytes &&
         other.from_bytes <= one.to_bytes;
}

// What is left of a rule beside another.
std::vector<Rule> without(const Rule& rule, const Rule& taken) {
  if (!overlap(rule, taken)) return {rule};
  std::vector<Rule> left;
  if (rule.from_bytes < taken.from_bytes) {
    left.push_back(rule);
    left.back().to_bytes = taken.from_bytes - 1;
  }
  if (rule.to_bytes > taken.to_bytes) {
    left.push_back(rule);
    left.back().from_bytes = taken.to_bytes + 1;
  }
  return left;
}

template <typename... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

// The last file of the folder for the same machine and library; without rules if there is none.
Profile last_stored(const fs::path& folder, const Profile& own) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.rbegin(), files.rend());
  for (const fs::path& file : files) {
    try {
      Profile profile = read_profile(file.c_str());
      if (profile.machine == own.machine && profile.library == own.library) return profile;
    } catch (const std::exception&) {
      continue;  // removed meanwhile, or not of this version
    }
  }
  return own;
}

void write(const fs::path& folder, const std::string& text_of_file) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  const std::string name =
      text("%019" PRId64 "-%ld", static_cast<std::int64_t>(ns), static_cast<long>(getpid()));
  const fs::path temporary = folder / (name + ".part");
  std::ofstream stream(temporary);
  stream << text_of_file << std::flush;
  const bool written = stream.good();
  stream.close();
  std::error_code error;
  if (written) fs::rename(temporary, folder / (name + ".toml"), error);
  if (written && !error) return;
  fs::remove(temporary, error);
  throw std::runtime_error("no space, or not writable");
}

}  // namespace

void keep_learnt(const Rule& rule) {
  const std::lock_guard guard(lock);
  kept() = merge_rules(std::move(kept()), {rule});
}

std::vector<Rule> merge_rules(std::vector<Rule> rules, const std::vector<Rule>& learnt) {
  for (const Rule& rule : learnt) {
    std::vector<Rule> left;
    for (const Rule& before : rules) {
      for (Rule& part : without(before, rule)) left.push_back(std::move(part));
    }
    left.push_back(rule);
    rules = std::move(left);
  }
  return rules;
}

std::string profile_text(const Profile& profile) {
  std::string all =
      "# Learnt by programs while they ran: `leadline exec` starts from it.\nformat = 1\n";
  all += "machine = \"" + profile.machine + "\"\nlibrary = \"" + profile.library + "\"\n";
  for (const Rule& rule : profile.rules) {
    all += "\n[[rule]]\ncollective = \"" + rule.collective + "\"\nalgorithm = \"" + rule.algorithm +
           "\"\n";
    if (rule.nodes > 0) all += text("nodes = %d\n", rule.nodes);
    if (rule.processes > 0) all += text("processes = %d\n", rule.processes);
    if (rule.from_bytes > 0) all += text("from_bytes = %zu\n", rule.from_bytes);
    if (rule.to_bytes < SIZE_MAX) all += text("to_bytes = %zu\n", rule.to_bytes);
    if (rule.measured.empty()) continue;
    all += "measured = [";
    for (const Rule::Measured& row : rule.measured) {
      all += text("[%.0f, %.4f, %.4f, %.3f], ", row.bytes, row.library_us, row.algorithm_us,
                  row.least_gain);
    }
    all += "]\n";
  }
  return all;
}

void store_learnt() {
  const char* const folder = runtime_settings().learn;
  const std::lock_guard guard(lock);
  if (*folder != '/' || kept().empty()) return;
  try {
    fs::create_directories(folder);
    Profile profile = last_stored(folder, this_profile());
    profile.rules = merge_rules(std::move(profile.rules), kept());
    write(folder, profile_text(profile));
  } catch (const std::exception& error) {
    leadline_warn(("what was learnt cannot be stored in " + std::string(folder) + ": " +
                   error.what() + "; LEADLINE_LEARN=1 stores nothing")
                      .c_str());
  }
}

}  // namespace leadline::runtime
