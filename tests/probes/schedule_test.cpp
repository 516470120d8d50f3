// Who is paired with whom in a round, as a line of the schedule says; the lines may come late.
#include "benchmarks/mpi/schedule.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

using namespace leadline::probe;

namespace {

// A file of its own, gone with the test.
struct File {
  std::string path = "/tmp/leadline-schedule-" + std::to_string(getpid());
  ~File() { unlink(path.c_str()); }
  void add(const std::string& text) const { std::ofstream(path, std::ios::app) << text; }
};

}  // namespace

TEST_CASE("a line has the pairs of a round") {
  const std::vector<Pair> pairs = parse_round("0-3 2-1", 5);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].first == 0);
  CHECK(pairs[0].second == 3);
  CHECK(pairs[1].first == 2);
  CHECK(pairs[1].second == 1);
}

TEST_CASE("what pairs nobody, somebody twice or no rank is refused") {
  for (const char* line : {"", "0-0", "0-1 1-2", "0-5", "-1-2", "0", "0-", "0-1x", "a-b", "0 1"}) {
    CAPTURE(line);
    CHECK_THROWS_AS(parse_round(line, 4), std::invalid_argument);
  }
}

TEST_CASE("without a file there is no line") {
  CHECK(await_round("/tmp/leadline-no-such-schedule", 0).empty());
}

TEST_CASE("a line that is written in parts later is waited for") {
  const File file;
  file.add("0-1\n2-");
  CHECK(await_round(file.path, 0) == "0-1");
  std::thread writer([&file] {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    file.add("3\n");
  });
  CHECK(await_round(file.path, 1) == "2-3");
  writer.join();
}
