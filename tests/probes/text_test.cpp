#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "harness/content.hpp"
#include "harness/describe.hpp"
#include "harness/json.hpp"
#include "harness/plan.hpp"

using namespace leadline;

TEST_CASE("JSON is escaped and never holds what JSON cannot say") {
  CHECK(json_string("a\"b\\c\n\x01") == "\"a\\\"b\\\\c\\u000a\\u0001\"");
  CHECK(json_number(1e-7) == "1e-07");
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
      "set oversubscribed 1\n");
  CHECK(plan.settings.limits.precision == 0.05);
  CHECK(plan.settings.limits.maximum == 77);
  CHECK(plan.settings.seed == 9);
  CHECK(plan.settings.oversubscribed);
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
  CHECK(complaint("leadline-plan 1\nset colour 3\n") == "plan line 2: unknown setting colour");
  CHECK(complaint("leadline-plan 1\npoint 0 no/such bytes=8\n") ==
        "plan line 2: this probe has no benchmark no/such");
}

TEST_CASE("the record describes itself") {
  CHECK(sample_fields_json() ==
        "[[\"point\",\"<u4\"],[\"repetition\",\"<u4\"],[\"rank\",\"<i4\"],[\"peer\",\"<i4\"],"
        "[\"batch\",\"<u4\"],[\"series\",\"<u2\"],[\"flags\",\"<u2\"],[\"seconds\",\"<f8\"]]");
}
