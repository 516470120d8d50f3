// What profiles say, and what is refused in one line that says where and why.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "runtime/profile/profile.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

extern "C" char* leadline_machine(char* name, std::size_t room);

namespace leadline::runtime {

// This engine's.
std::string library_version() {
  return one_blank_between_words("An MPI\n  Version:\t1.2.3 of today");
}
std::string unknown_in(const Rule& rule) {
  return rule.algorithm == "quick" ? "algorithm \"quick\" of " + rule.collective : "";
}

namespace {

std::string machine() {
  char name[256];
  return leadline_machine(name, sizeof name);
}

const std::string kHead =
    "format = 1\nmachine = \"" + machine() + "\"\nlibrary = \"MPI Version: 1.2.3\"\n";

class File {
 public:
  explicit File(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("leadline-profile-" + std::to_string(getpid()))) {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  const char* name() const { return path_.c_str(); }

 private:
  std::filesystem::path path_;
};

std::string refusal(const std::string& text) {
  const File file(text);
  try {
    read_profile(file.name());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

struct Loaded {
  std::size_t rules;
  std::string said;
};

// What a process that LEADLINE_PROFILE leads to this text has, and says on standard error.
Loaded loaded(const std::string& text) {
  const File file(text);
  int said[2];
  int rules[2];
  REQUIRE(pipe(said) == 0);
  REQUIRE(pipe(rules) == 0);
  const pid_t child = fork();
  if (child == 0) {
    setenv("LEADLINE_PROFILE", file.name(), 1);
    dup2(said[1], STDERR_FILENO);
    const std::size_t count = profile().rules.size();
    _exit(write(rules[1], &count, sizeof count) == sizeof count ? 0 : 1);
  }
  close(said[1]);
  Loaded result{};
  REQUIRE(read(rules[0], &result.rules, sizeof result.rules) == sizeof result.rules);
  char buffer[4096];
  for (ssize_t got; (got = read(said[0], buffer, sizeof buffer)) > 0;) {
    result.said.append(buffer, static_cast<std::size_t>(got));
  }
  waitpid(child, nullptr, 0);
  for (const int end : {said[0], rules[0], rules[1]}) close(end);
  return result;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a profile as tuning writes it") {
  const File file("# a note\n" + kHead +
                  "\n[[rule]]\ncollective = \"bcast\"\nnodes = 1\nprocesses = 2\nfrom_bytes = 0\n"
                  "to_bytes = 64\nalgorithm = \"shared\"\nmeasured = [  # rows\n"
                  "  [8, 0.5, 0.25, 1.9],\n  [64, 1.5, 0.75, 1.8],\n]\n"
                  "[[rule]]\ncollective = \"barrier\"\nalgorithm = \"library\"\n");
  const Profile profile = read_profile(file.name());
  REQUIRE(profile.rules.size() == 2);
  const Rule& rule = profile.rules[0];
  CHECK(rule.collective == "bcast");
  CHECK(rule.nodes == 1);
  CHECK(rule.processes == 2);
  CHECK(rule.to_bytes == 64);
  REQUIRE(rule.measured.size() == 2);
  CHECK(rule.measured[1].algorithm_us == 0.75);
  CHECK(profile.rules[1].to_bytes == SIZE_MAX);
  CHECK(profile.rules[1].processes == 0);
}

TEST_CASE("settings, which are in force before the program starts, are no concern of its ranks") {
  const std::string rule = "[[rule]]\ncollective = \"bcast\"\nalgorithm = \"shared\"\n";
  const File file(kHead + "settings_gain = [1.3, 1.2, 1.4]\n" + rule +
                  "[[setting]]\nvariable = \"MPIR_CVAR_A\"\nvalue = \"64\"\nraced = \"a=64\"\n"
                  "[[setting]]\nvariable = \"MPIR_CVAR_B\"\nvalue = \"0\"\n"
                  "[[effect]]\nbenchmark = \"mpi/pingpong\"\nmeasured = [[8, 2, 1, 1.9]]\n");
  const Profile profile = read_profile(file.name());
  REQUIRE(profile.rules.size() == 1);
  CHECK(profile.rules[0].algorithm == "shared");
}

TEST_CASE("what is wrong is refused with its line") {
  const std::string rule = "[[rule]]\ncollective = \"bcast\"\nalgorithm = \"shared\"\n";
  CHECK(has(refusal("format = 2\n"), "format is not 1"));
  CHECK(has(refusal("machine = \"m\"\n"), "format is not 1"));
  CHECK(has(refusal("format = 1\nmachine = m\n"), "line 2"));
  CHECK(has(refusal("format = 1\nmachine = \"m\n"), "line 2"));
  CHECK(has(refusal("format = 1\nformat = 1\n"), "line 2: format is there twice"));
  CHECK(has(refusal("format = 1\n[rule]\n"), "line 2"));
  CHECK(has(refusal("format = 1\n[[rules]]\nbytes = 1\n"), "line 3"));
  CHECK(has(refusal(kHead + rule + "bytes = 1\n"), "line 7: bytes is no key of a rule"));
  CHECK(has(refusal(kHead + rule + "to_bytes = -1\n"), "line 7"));
  CHECK(has(refusal(kHead + rule + "to_bytes = 1e300\n"), "line 7"));
  CHECK(has(refusal(kHead + rule + "to_bytes = nan\n"), "line 7"));
  CHECK(has(refusal(kHead + rule + "processes = 0\n"), "line 7"));
  CHECK(has(refusal(kHead + rule + "measured = [1, 2, 3]\n"), "line 7"));
  CHECK(
      has(refusal(kHead + "[[rule]]\nalgorithm = \"shared\"\n"), "line 5: the rule names no coll"));
  CHECK(
      has(refusal(kHead + "[[rule]]\ncollective = \"bcast\"\n"), "line 5: the rule names no alg"));
}

TEST_CASE("ranges are neither empty nor in each other") {
  const auto rule = [](const std::string& rest) {
    return "[[rule]]\ncollective = \"bcast\"\nalgorithm = \"shared\"\n" + rest;
  };
  CHECK(has(refusal(kHead + rule("from_bytes = 9\nto_bytes = 8\n")), "line 5: the rule has a to_"));
  CHECK(has(refusal(kHead + rule("to_bytes = 8\n") + rule("from_bytes = 8\n")),
            "line 9: the rule overlaps with the one in line 5"));
  CHECK(refusal(kHead + rule("to_bytes = 8\n") + rule("from_bytes = 9\n")) == "");
  // One for two processes before one for any number is how to make an exception.
  CHECK(refusal(kHead + rule("processes = 2\n") + rule("")) == "");
}

TEST_CASE("it is used on this machine with this library only, and says so in one line") {
  const std::string rule = "[[rule]]\ncollective = \"bcast\"\nalgorithm = \"shared\"\n";
  const Loaded used = loaded(kHead + rule);
  CHECK(used.rules == 1);
  CHECK(used.said == "");
  for (const std::string& head :
       {std::string("format = 1\nmachine = \"other\"\nlibrary = \"MPI Version: 1.2.3\"\n"),
        "format = 1\nmachine = \"" + machine() + "\"\nlibrary = \"MPI Version: 9\"\n",
        "format = 1\nmachine = \"" + machine() + "\"\n", std::string("format = 1 2\n"),
        std::string("\0\xff", 2)}) {
    const Loaded refused = loaded(head + rule);
    CHECK(refused.rules == 0);
    CHECK(has(refused.said, "is not used"));
    CHECK(std::ranges::count(refused.said, '\n') == 1);
  }
}

TEST_CASE("a rule that names what is unknown is told") {
  const Loaded found = loaded(kHead + "[[rule]]\ncollective = \"bcast\"\nalgorithm = \"quick\"\n");
  CHECK(has(found.said, "line 5: there is no algorithm \"quick\" of bcast"));
  CHECK(std::ranges::count(found.said, '\n') == 1);
}

}  // namespace
}  // namespace leadline::runtime
