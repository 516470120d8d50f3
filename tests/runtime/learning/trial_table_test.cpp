#include "runtime/learning/trial_table.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace leadline::runtime {

std::string library_version() { return one_blank_between_words("An  \"MPI\" 1.0"); }

std::string unknown_in(const Rule&) { return {}; }

namespace {

Rule rule(std::size_t from, std::size_t to, const char* algorithm, int processes = 2) {
  return {.collective = "allreduce",
          .nodes = 1,
          .processes = processes,
          .from_bytes = from,
          .to_bytes = to,
          .algorithm = algorithm};
}

TEST_CASE("what was learnt takes the place of what overlaps for the same communicators") {
  const auto merged = merge_rules({rule(0, 1023, "ring"), rule(0, SIZE_MAX, "ring", 4)},
                                  {rule(256, 511, "shared")});
  REQUIRE(merged.size() == 4);
  CHECK(merged[0].to_bytes == 255);
  CHECK(merged[1].from_bytes == 512);
  CHECK(merged[1].to_bytes == 1023);
  CHECK(merged[2].processes == 4);
  CHECK(merged[3].algorithm == "shared");
}

TEST_CASE("a later decision takes the place of an earlier one") {
  const auto merged = merge_rules({rule(256, 511, "shared")}, {rule(256, 511, "library")});
  REQUIRE(merged.size() == 1);
  CHECK(merged[0].algorithm == "library");
}

TEST_CASE("what is stored is read, and added to") {
  char folder[] = "/tmp/leadline-notebook-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::filesystem::path there(folder);
  // Before anything reads the settings.
  setenv("LEADLINE_LEARN", (there / "learnt").c_str(), 1);
  store_learnt();
  CHECK_FALSE(std::filesystem::exists(there / "learnt"));  // nothing was learnt
  Rule first = rule(8, 15, "shared");
  first.measured = {{.bytes = 8, .library_us = 0.9, .algorithm_us = 0.3, .least_gain = 2.5}};
  keep_learnt(first);
  store_learnt();
  keep_learnt(rule(16, 31, "library"));
  store_learnt();
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(there / "learnt")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() == 2);
  const Profile read = read_profile(files.back().c_str());
  CHECK(read.machine == this_profile().machine);
  CHECK(library_version().find(read.library) != std::string::npos);
  REQUIRE(read.rules.size() == 2);
  CHECK(read.rules[0].algorithm == "shared");
  CHECK(read.rules[0].measured[0].library_us == doctest::Approx(0.9));
  CHECK(read.rules[1].algorithm == "library");
  std::filesystem::remove_all(there);
}

}  // namespace
}  // namespace leadline::runtime
