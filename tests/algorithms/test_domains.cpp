// Domains of memory: who hands on to whom. That data arrive is tested with LEADLINE_SHARED_DOMAINS.
#include <doctest/doctest.h>

#include <vector>

#include "algorithms/node/domains.hpp"

namespace {

using leadline::node::first_ranks_of_domains;
using leadline::node::numbers_in_list;
using Numbers = std::vector<int>;

TEST_CASE("shared: the kernel's lists of numbers") {
  CHECK(numbers_in_list("0-3,8,10-11") == Numbers{0, 1, 2, 3, 8, 10, 11});
  CHECK(numbers_in_list("0") == Numbers{0});
  CHECK(numbers_in_list("").empty());
  CHECK(numbers_in_list("x").empty());
}

TEST_CASE("shared: the first rank of each domain hands on") {
  CHECK(first_ranks_of_domains({0, 0, 1, 1}) == Numbers{0, 0, 2, 2});
  CHECK(first_ranks_of_domains({1, 0, 1, 0, 1}) == Numbers{0, 1, 0, 1, 0});
  // Nobody need.
  CHECK(first_ranks_of_domains({2, 2, 2}).empty());
  CHECK(first_ranks_of_domains({0, 1}).empty());
  CHECK(first_ranks_of_domains({0, 0, -1, 1}).empty());
}

}  // namespace
