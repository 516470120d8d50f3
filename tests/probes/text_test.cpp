#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "harness/describe.hpp"
#include "harness/json.hpp"
#include "harness/plan.hpp"

using namespace leadline::probe;

TEST_CASE("JSON is escaped and never holds what JSON cannot say") {
  CHECK(json_string("a\"b\\c\n\x01") == "\"a\\\"b\\\\c\\u000a\\u0001\"");
  CHECK(json_number(1e-7) == "1e-07");
  CHECK(json_number(100000) == "100000");
  CHECK(json_number(-1e15) == "-1000000000000000");
  CHECK(json_number(1e300) == "1e+300");
  CHECK(json_number(0.0 / 0.0) == "null");
  CHECK(JsonObject().add("a", 1.5).add("b", true).add("c", "x").text() ==
        "{\"a\":1.5,\"b\":true,\"c\":\"x\"}");
  CHECK(json_array(std::vector<std::string>{}, json_string) == "[]");
}

TEST_CASE("content differs between seeds, and every changed byte is counted") {
  for (const std::size_t bytes : {0U, 1U, 7U, 8U, 9U, 1000U}) {
    std::vector<std::byte> data(bytes);
    fill_content(data.data(), bytes, 42);
    CHECK(wrong_content(data.data(), bytes, 42) == 0);
    if (bytes == 0) continue;
    data.back() ^= std::byte{1};
    CHECK(wrong_content(data.data(), bytes, 42) == 1);
    if (bytes >= 8) CHECK(wrong_content(data.data(), bytes, 43) > bytes / 2);
  }
}

TEST_CASE("a plan is read as written") {
  const Plan plan = parse_plan(
      "leadline-plan 1\nset precision 0.05\nset maximum 77\nset seed 9\n"
      "set oversubscribed 1\nread SOME_LIMIT\nread another\n");
  CHECK(plan.settings.limits.precision == 0.05);
  CHECK(plan.settings.limits.maximum == 77);
  CHECK(plan.settings.seed == 9);
  CHECK(plan.settings.oversubscribed);
  CHECK(plan.controls == std::vector<std::string>{"SOME_LIMIT", "another"});
  CHECK(plan.points.empty());
}

TEST_CASE("what a plan gets wrong is named with its line") {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      parse_plan(text);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  CHECK(complaint("") == "the plan is empty");
  CHECK(complaint("hello\n") == "plan line 1: not a leadline-plan 1");
  CHECK(complaint("leadline-plan 1\nread\n") ==
        "plan line 2: neither set, read, library nor point");
  CHECK(complaint("leadline-plan 1\nset colour 3\n") == "plan line 2: unknown setting colour");
  CHECK(complaint("leadline-plan 1\npoint 0 no/such bytes=8\n") ==
        "plan line 2: this probe has no benchmark no/such");
}

TEST_CASE("the library of a point is the line before it, blanks and all") {
  static const Registration known{{.name = "test/known"}};
  const Plan plan = parse_plan(
      "leadline-plan 1\nlibrary /some where/lib.so\npoint 0 test/known a=1\n"
      "point 1 test/known a=2\n");
  CHECK(plan.points.at(0).library == "/some where/lib.so");
  CHECK(plan.points.at(1).library.empty());
}

TEST_CASE("the record describes itself") {
  CHECK(sample_fields_json() ==
        "[[\"point\",\"<u4\"],[\"repetition\",\"<u4\"],[\"rank\",\"<i4\"],[\"peer\",\"<i4\"],"
        "[\"batch\",\"<u4\"],[\"series\",\"<u2\"],[\"flags\",\"<u2\"],[\"seconds\",\"<f8\"],"
        "[\"begin\",\"<f8\"],[\"waited\",\"<f4\"],[\"page_faults\",\"<u4\"]]");
}

TEST_CASE("a benchmark refuses what its axes and processes do not allow") {
  Benchmark benchmark;
  benchmark.name = "test/strict";
  benchmark.axes = {bytes_axis("8", "size", 8),
                    choice_axis("mode", "how", {"a", "b"}),
                    {"spread", AxisKind::kNumber, "spread", "0.5", {}, 0.1, 1.0}};
  benchmark.processes = {.minimum = 2, .maximum = 4, .multiple_of = 2};
  using Values = std::map<std::string, std::string>;
  const Values right{{"bytes", "16"}, {"mode", "b"}, {"spread", "0.25"}};
  CHECK_NOTHROW(check(benchmark, right, 2));
  CHECK_THROWS_WITH(check(benchmark, right, 1), "test/strict cannot use 1 processes");
  CHECK_THROWS_AS(check(benchmark, right, 3), std::invalid_argument);
  CHECK_THROWS_AS(check(benchmark, right, 6), std::invalid_argument);
  const auto with = [&](const std::string& axis, const std::string& text) {
    Values changed = right;
    changed[axis] = text;
    return changed;
  };
  CHECK_THROWS_WITH(check(benchmark, with("bytes", "12"), 2),
                    "test/strict does not allow bytes=12");
  CHECK_THROWS_AS(check(benchmark, with("bytes", "many"), 2), std::invalid_argument);
  CHECK_THROWS_AS(check(benchmark, with("mode", "c"), 2), std::invalid_argument);
  CHECK_THROWS_AS(check(benchmark, with("spread", "2"), 2), std::invalid_argument);
  benchmark.starts = {Start::kAgreed};
  CHECK_NOTHROW(check(benchmark, with("start", "default"), 2));
  CHECK_NOTHROW(check(benchmark, with("start", "agreed"), 2));
  CHECK_THROWS_WITH(check(benchmark, with("start", "barrier"), 2),
                    "test/strict does not allow start=barrier");
  CHECK_THROWS_WITH(check(benchmark, {{"bytes", "8"}}, 2), "test/strict needs a value for mode");
}
