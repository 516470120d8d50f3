#include "benchmarks/node/work.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

using namespace leadline::probe;

TEST_CASE("the result of fixed work is predicted without doing it") {
  for (const std::uint64_t steps : {0U, 1U, 2U, 3U, 7U, 8U, 1000U, 12345U}) {
    CHECK(work(42, steps) == work_result(42, steps));
    CHECK(work(42, steps) != work_result(43, steps));
  }
  CHECK(work(42, 1000) != work_result(42, 1001));
}
