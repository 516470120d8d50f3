// The replay, against times that are derived by hand or by a recursion.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "listed.hpp"
#include "schedules/halo.hpp"

namespace leadline::replay {
namespace {

Step send(int to, std::uint32_t bytes, int tag = 0) {
  return {.to = to,
          .out_bytes = bytes,
          .out_tag = static_cast<std::uint16_t>(tag),
          .kind = Step::Kind::kBlock};
}
Step receive(int from, std::uint32_t bytes, int tag = 0) {
  return {.from = from,
          .in_bytes = bytes,
          .in_tag = static_cast<std::uint16_t>(tag),
          .kind = Step::Kind::kBlock};
}
Step started(Step step) {
  step.kind = Step::Kind::kStart;
  return step;
}
const Step kWaitForAll{.kind = Step::Kind::kWait};

double one_way(double bytes) { return 2 * kOverhead + kLatency + bytes * kPerByte; }

// When the last rank of a binomial tree has the data, of a subtree of so many places whose root has
// them at 0: largest subtrees first.
double binomial(int span, double bytes) {
  double last = 0.0;
  double sent = 0.0;
  double port = 0.0;
  for (int step = static_cast<int>(std::bit_floor(static_cast<unsigned>(span - 1))); step > 0;
       step /= 2) {
    sent += kOverhead;
    const double leaves = std::max(sent, port);
    port = leaves + bytes * kPerByte;
    const double arrives = port + kLatency + kOverhead;
    const int child = std::min(step, span - step);
    last = std::max(last, arrives + (child > 1 ? binomial(child, bytes) : 0.0));
  }
  return last;
}

}  // namespace

TEST_CASE("a message takes o + L + n G + o") {
  const Schedule ping{{send(1, 640)}, {receive(0, 640)}};
  CHECK(replay(ping, simple_machine(2)).seconds == one_way(640));
  CHECK(replay(ping, simple_machine(2, 2)).seconds == 2 * kOverhead + (kLatency + 10) / 4);
  const Outcome sent = replay(ping, simple_machine(2));
  CHECK(sent.network_messages == 1);
  CHECK(sent.network_bytes == 640);
  CHECK(replay(ping, simple_machine(2, 2)).network_messages == 0);
}

TEST_CASE("a long message waits for its receiver and for the handshake") {
  Machine there = simple_machine(2);
  there.rendezvous_bytes = 640;
  there.handshake_s = 2 * kLatency;
  there.copy_s_per_byte = 1.0;
  const Step late{.copied = 100};
  CHECK(replay({{send(1, 640)}, {late, receive(0, 640)}}, there).seconds ==
        100 + 2 * kLatency + kLatency + 10 + kOverhead);
  // A short one has long arrived.
  CHECK(replay({{send(1, 639)}, {late, receive(0, 639)}}, there).seconds == 100 + kOverhead);
}

TEST_CASE("processes of a node share its port, out and in") {
  const Machine there = simple_machine(4, 2);
  const Schedule out{{send(2, 640)}, {send(3, 640)}, {receive(0, 640)}, {receive(1, 640)}};
  CHECK(replay(out, there).seconds == one_way(640) + 640 * kPerByte);
  // From two nodes to one.
  Machine into = simple_machine(4);
  into.node_of = {0, 1, 2, 2};
  CHECK(replay(out, into).seconds == one_way(640) + 640 * kPerByte);
  // A gap longer than the transfer counts instead.
  Machine slow = simple_machine(4, 2);
  slow.gap_s = 32;
  CHECK(replay(out, slow).seconds == one_way(640) + 32);
}

TEST_CASE("a node with two links sends two messages at once, each at the rate of one") {
  Machine there = simple_machine(4, 2);
  there.port_fraction = 0.5;
  const Schedule out{{send(2, 640)}, {send(3, 640)}, {receive(0, 640)}, {receive(1, 640)}};
  CHECK(replay(out, there).seconds == one_way(640) + 320 * kPerByte);
}

TEST_CASE("on one medium messages of all nodes follow each other") {
  Machine there = simple_machine(4);
  const Schedule pairs{{send(1, 640)}, {receive(0, 640)}, {send(3, 640)}, {receive(2, 640)}};
  CHECK(replay(pairs, there).seconds == one_way(640));
  there.one_medium = true;
  CHECK(replay(pairs, there).seconds == one_way(640) + 640 * kPerByte);
}

TEST_CASE("links on the way multiply the latency") {
  Machine there = simple_machine(3);
  there.links = 0.0;
  there.routes = row(3);
  CHECK(replay({{send(2, 0)}, {}, {receive(0, 0)}}, there).seconds == 2 * kOverhead + 2 * kLatency);
}

TEST_CASE("collectives take the time that LogGP's formulas say") {
  for (const int size : {2, 4, 8, 16, 32, 64}) {
    INFO(size, " ranks");
    const int steps = std::countr_zero(static_cast<unsigned>(size));
    CHECK(replay(listed("mpi/allreduce", "recursive_doubling", size, 640), simple_machine(size))
              .seconds == steps * one_way(640));
    CHECK(replay(listed("mpi/allgather", "ring", size, 640), simple_machine(size)).seconds ==
          (size - 1) * one_way(640));
  }
  for (int size = 2; size <= 33; ++size) {
    for (const std::size_t bytes : {std::size_t{64}, std::size_t{6400}}) {
      INFO(size, " ranks");
      CHECK(replay(listed("mpi/bcast", "binomial", size, bytes), simple_machine(size)).seconds ==
            binomial(size, static_cast<double>(bytes)));
    }
  }
}

TEST_CASE("non-blocking messages overlap") {
  const Schedule both{{started(receive(1, 640)), started(send(1, 640)), kWaitForAll},
                      {started(receive(0, 640)), started(send(0, 640)), kWaitForAll}};
  CHECK(replay(both, simple_machine(2)).seconds == one_way(640));
  Machine blocking = simple_machine(2);
  blocking.rendezvous_bytes = 0;
  CHECK(replay(both, blocking).seconds == one_way(640));
}

TEST_CASE("messages are matched by tag and in order") {
  const Schedule crossed{{send(1, 64, 1), send(1, 640, 2), send(1, 8, 1)},
                         {receive(0, 640, 2), receive(0, 64, 1), receive(0, 8, 1)}};
  CHECK_NOTHROW(replay(crossed, simple_machine(2)));
}

TEST_CASE("what never ends is told") {
  Machine there = simple_machine(2);
  there.rendezvous_bytes = 8;
  const Schedule both_send{{send(1, 8), receive(1, 8)}, {send(0, 8), receive(0, 8)}};
  CHECK_THROWS_WITH_AS(replay(both_send, there), "rank 0 waits for ever", Refused);
  CHECK_NOTHROW(replay(both_send, simple_machine(2)));
  CHECK_THROWS_WITH_AS(replay({{}, {receive(0, 8, 3)}}, there),
                       "rank 1 waits for ever: rank 0 sends it nothing with tag 3", Refused);
  CHECK_THROWS_WITH_AS(replay({{send(1, 4)}, {}}, there),
                       "rank 0 sends to rank 1, which never receives it", Refused);
  CHECK_THROWS_WITH_AS(replay({{send(1, 6)}, {receive(0, 4)}}, there),
                       "rank 0 sends 6 bytes to rank 1, which has room for 4", Refused);
}

TEST_CASE("a halo exchange sends what its grid says, in each pattern") {
  for (const char* pattern : {"staged", "at_once", "send_recv", "bunched", "persistent"}) {
    for (const int size : {1, 2, 6, 16, 30}) {
      for (const bool periodic : {true, false}) {
        INFO(pattern, " ", size, " tasks");
        if (size == 1 && !periodic) continue;
        const Machine there = simple_machine(size);
        const Outcome found = replay(
            halo_schedule({pattern, 4096, periodic, there.node_of}, 1U << 20U, [](int) {}), there);
        int rows = 1;
        for (int factor = 1; factor * factor <= size; ++factor) {
          if (size % factor == 0) rows = factor;
        }
        const int columns = size / rows;
        const int edges = 2 * ((rows - 1) * columns + (columns - 1) * rows);
        CHECK(found.messages == static_cast<std::uint64_t>(periodic ? 4 * size : edges));
      }
    }
  }
}

TEST_CASE("patterns that are the library's own affair are refused") {
  const Machine there = simple_machine(4);
  for (const char* pattern : {"neighbourhood", "one_sided"}) {
    CHECK_THROWS_AS(halo_schedule({pattern, 8, true, there.node_of}, 1U << 20U, [](int) {}),
                    Refused);
  }
}

TEST_CASE("noise is what was asked for, and the same each time") {
  // Tasks that wait for nobody: of P tasks one at least is late in 1 - (1 - p)^P of the calls.
  constexpr int kTasks = 200;
  constexpr std::uint32_t kCalls = 2000;
  const Noise noise{.probability = 0.005, .delay_s = 1.0, .seed = 7};
  const Schedule alone(kTasks);
  const Outcome found = replay(alone, machine(kTasks), kCalls, noise);
  const double late =
      std::count(found.slowest_s.begin(), found.slowest_s.end(), 1.0) / static_cast<double>(kCalls);
  const double expected = 1 - std::pow(1 - noise.probability, kTasks);
  const double deviation = std::sqrt(expected * (1 - expected) / kCalls);
  CHECK(std::abs(late - expected) < 4 * deviation);
  CHECK(replay(alone, machine(kTasks), kCalls, noise).sum_s == found.sum_s);
  CHECK(replay(alone, machine(kTasks), kCalls, {0.005, 1.0, 8}).sum_s != found.sum_s);
}

TEST_CASE("one late task delays its neighbours, and they theirs") {
  // A ring of four, each call an exchange with both neighbours; rank 0 of the first call is late.
  const Machine there = simple_machine(4);
  const Schedule ring = halo_schedule({"at_once", 64, true, there.node_of}, 1U << 20U, [](int) {});
  const double alone = replay(ring, there).seconds;
  const Outcome late = replay(ring, there, 3, {.probability = 1.0, .delay_s = 5.0, .seed = 1});
  CHECK(late.seconds == 3 * (alone + 5.0));
  for (const double slowest : late.slowest_s) CHECK(slowest == alone + 5.0);
}

}  // namespace leadline::replay
