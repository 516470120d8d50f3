#include "benchmarks/mpi/computation.hpp"

#include <doctest/doctest.h>

namespace leadline::probe {

TEST_CASE("a computation ends where so many steps lead, and nowhere else") {
  Computation computation;
  computation.begin(7);
  const std::uint64_t first = computation.state();
  std::uint64_t done = 0;
  for (const std::uint64_t steps : {0ULL, 1ULL, 2ULL, 3ULL, 64ULL, 999ULL, 4096ULL}) {
    computation.run(steps);
    done += steps;
    CHECK(computation.wrong_bytes(done) == 0);
    CHECK(computation.wrong_bytes(done + 1) == 8);
    CHECK(computation.state() == Computation::after(first, done));
  }
  computation.begin(8);
  CHECK(computation.state() != first);
  CHECK(computation.wrong_bytes(0) == 0);
  CHECK(computation.wrong_bytes(1) == 8);
}

TEST_CASE("a short cut through a computation is a chain of shorter ones") {
  CHECK(Computation::after(5, 0) == 5);
  CHECK(Computation::after(5, 3) ==
        Computation::after(Computation::after(Computation::after(5, 1), 1), 1));
  CHECK(Computation::after(5, 1'000'003) ==
        Computation::after(Computation::after(5, 1'000'000), 3));
  CHECK(Computation::after(5, 1) != Computation::after(6, 1));
}

}  // namespace leadline::probe
