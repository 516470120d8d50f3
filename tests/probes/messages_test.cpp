// The messages of two-sided benchmarks: what goes wrong with one of many shows, each in its way.
#include "benchmarks/mpi/messages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "comm/thread_world.hpp"

using namespace leadline::probe;

namespace {

constexpr int kSender = 3;
constexpr std::uint64_t kSeed = 7;
constexpr int kCount = 4;

// Calls `body` with what was sent and what has come, all of it in place and right.
void with_messages(std::size_t bytes, const std::function<void(Messages&, Messages&)>& body) {
  ThreadWorldSettings settings;
  settings.ranks = 1;
  run_threads(settings, [&](ThreadWorld& world) {
    const Point point(world, {{"cache", "warm"}});
    Messages out(point, bytes, kCount);
    Messages in(point, bytes, kCount);
    out.fill(kSeed, kSender);
    in.clear(kSeed);
    if (bytes > 0) CHECK(in.wrong_bytes(kSeed, kSender) > 0);
    for (int i = 0; i < kCount; ++i) std::memcpy(in.at(i), out.at(i), bytes);
    CHECK(in.wrong_bytes(kSeed, kSender) == 0);
    body(out, in);
  });
}

}  // namespace

TEST_CASE("each byte of each message is looked at") {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{61}}) {
    with_messages(bytes, [&](Messages&, Messages& in) {
      for (int i = 0; i < kCount; ++i) {
        for (std::size_t byte = 0; byte < bytes; ++byte) {
          in.at(i)[byte] ^= std::byte{0x10};
          CHECK(in.wrong_bytes(kSeed, kSender) == 1);
          CHECK(in.wrong_bytes_of(i, kSeed, kSender) == 1);
          in.at(i)[byte] ^= std::byte{0x10};
        }
      }
    });
  }
}

TEST_CASE("a message in the place of another is wrong") {
  with_messages(16, [](Messages& out, Messages& in) {
    std::swap_ranges(in.at(1), in.at(1) + 16, in.at(2));
    CHECK(in.wrong_bytes(kSeed, kSender) >= 16);
    std::memcpy(in.at(1), out.at(1), 16);
    CHECK(in.wrong_bytes(kSeed, kSender) >= 8);
  });
}

TEST_CASE("what another rank has sent, or the same one before, is wrong") {
  with_messages(16, [](Messages& out, Messages& in) {
    for (const auto& [seed, sender] : {std::pair{kSeed, kSender + 1}, {kSeed - 1, kSender}}) {
      out.fill(seed, sender);
      std::memcpy(in.at(0), out.at(0), 16);
      CHECK(in.wrong_bytes_of(0, kSeed, kSender) >= 8);
    }
  });
}

TEST_CASE("messages of no bytes are never wrong") {
  with_messages(0, [](Messages&, Messages& in) { CHECK(in.wrong_bytes(kSeed, kSender) == 0); });
}

TEST_CASE("more messages than memory are refused, and one alone never") {
  ThreadWorldSettings settings;
  settings.ranks = 1;
  run_threads(settings, [&](ThreadWorld& world) {
    const Point point(world, {{"cache", "warm"}});
    CHECK_THROWS_WITH_AS(Messages(point, std::size_t{1} << 20, 1025),
                         doctest::Contains("more than 1 GiB"), Unavailable);
    CHECK_THROWS_AS(Messages(point, std::size_t{1} << 63, 2), Unavailable);
  });
}
