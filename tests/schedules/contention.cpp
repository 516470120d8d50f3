// Messages that share links, against shares that are derived by hand or by a plain second method.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "listed.hpp"
#include "schedules/replay/flows.hpp"

namespace leadline::replay {
namespace {

Step send(int to, std::uint32_t bytes) {
  return {.to = to, .out_bytes = bytes, .kind = Step::Kind::kBlock};
}
Step receive(int from, std::uint32_t bytes) {
  return {.from = from, .in_bytes = bytes, .kind = Step::Kind::kBlock};
}

Machine shared_row(int nodes, int per_node = 1) {
  Machine made = simple_machine(nodes * per_node, per_node);
  made.links = 0.0;
  made.routes = row(static_cast<std::uint32_t>(nodes));
  made.contention = true;
  return made;
}

using Ends = std::map<std::uint32_t, double>;

Ends run(Flows& flows) {
  Ends found;
  while (flows.next_s() < std::numeric_limits<double>::infinity()) {
    flows.advance([&](std::uint32_t id, double at_s) { found[id] = at_s; });
  }
  return found;
}

struct Sent {
  std::vector<std::uint32_t> links;
  double bytes;
  double most;
};

// The same shares by growing all rates in steps of a part of a thousand, and time with them.
std::vector<double> slowly(const std::vector<double>& capacity, const std::vector<Sent>& sent) {
  std::vector<double> rate(sent.size(), 0.0);
  std::vector<bool> grows(sent.size(), true);
  const double step = 1e-3;
  while (std::find(grows.begin(), grows.end(), true) != grows.end()) {
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (grows[i]) rate[i] += step / static_cast<double>(sent[i].links.size());
    }
    std::vector<double> used(capacity.size(), 0.0);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      for (const std::uint32_t link : sent[i].links) used[link] += rate[i];
    }
    for (std::size_t i = 0; i < sent.size(); ++i) {
      for (const std::uint32_t link : sent[i].links) {
        if (used[link] >= capacity[link]) grows[i] = false;
      }
      if (rate[i] >= sent[i].most) grows[i] = false;
    }
  }
  return rate;
}

}  // namespace

TEST_CASE("flows over one link share it evenly, and take what others leave") {
  Flows flows({64.0});
  const std::vector<std::uint32_t> link{0};
  flows.start(0.0, 0, link, 640, 64.0);
  flows.start(0.0, 1, link, 64, 64.0);
  flows.start(0.0, 2, link, 640, 8.0);
  // The third takes 8 of 64, the others 28 each; when the second has ended, the first has 56.
  const double second = 64.0 / 28;
  const Ends ends = run(flows);
  CHECK(ends.at(1) == doctest::Approx(second));
  CHECK(ends.at(0) == doctest::Approx(second + (640 - 64) / 56.0));
  CHECK(ends.at(2) == doctest::Approx(ends.at(0) + (640 - 8 * ends.at(0)) / 8.0));
}

TEST_CASE("a flow over several links gets less of each") {
  Flows flows({60.0, 60.0});
  flows.start(0.0, 0, std::vector<std::uint32_t>{0, 1}, 200, 60.0);
  flows.start(0.0, 1, std::vector<std::uint32_t>{0}, 400, 60.0);
  const Ends ends = run(flows);
  CHECK(ends.at(0) == doctest::Approx(10.0));
  CHECK(ends.at(1) == doctest::Approx(10.0));
}

TEST_CASE("shares are those that grow until something is full") {
  std::mt19937 random(5);
  const auto below = [&](unsigned limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (int round = 0; round < 20; ++round) {
    std::vector<double> capacity(8);
    for (double& each : capacity) each = 20.0 + below(80);
    std::vector<Sent> sent(12);
    for (Sent& each : sent) {
      for (std::uint32_t link = 0; link < capacity.size(); ++link) {
        if (below(3) == 0) each.links.push_back(link);
      }
      if (each.links.empty()) each.links.push_back(below(8));
      each.most = 5.0 + below(60);
    }
    const std::vector<double> expected = slowly(capacity, sent);
    // All last as long, so that the first to end tells its rate: the others are as it began.
    for (std::size_t watched = 0; watched < sent.size(); ++watched) {
      Flows flows(capacity);
      for (std::uint32_t id = 0; id < sent.size(); ++id) {
        flows.start(0.0, id, sent[id].links, id == watched ? 0.01 : 1e6, sent[id].most);
      }
      INFO("round ", round, " flow ", watched);
      CHECK(run(flows).at(static_cast<std::uint32_t>(watched)) ==
            doctest::Approx(0.01 / expected[watched]).epsilon(0.01));
    }
  }
}

TEST_CASE("what flows is neither lost nor gained while others come and go") {
  // One link that is never idle: the last flow ends when all bytes have passed.
  std::mt19937 random(7);
  Flows flows({100.0});
  double bytes = 0.0;
  for (std::uint32_t id = 0; id < 200; ++id) {
    const double each = 1000.0 + random() % 1000;
    flows.start(0.0, id, std::vector<std::uint32_t>{0}, each, 100.0);
    bytes += each;
  }
  double last = 0.0;
  for (const auto& [id, at_s] : run(flows)) last = std::max(last, at_s);
  CHECK(last == doctest::Approx(bytes / 100.0));
}

TEST_CASE("a message that meets no other one takes what it takes with ports") {
  const Schedule ping{{send(1, 640)}, {receive(0, 640)}};
  Machine there = shared_row(2);
  const Outcome found = replay(ping, there);
  there.contention = false;
  CHECK(found.seconds == replay(ping, there).seconds);
  CHECK(found.seconds == 2 * kOverhead + kLatency + 10);
  CHECK(found.carried == std::vector<double>{640, 0});
}

TEST_CASE("messages over the same link inside the network share it") {
  // From 0 to 2 and from 1 to 3 on a row: the link from 1 to 2 has both.
  const Schedule crossing{{send(2, 640)}, {send(3, 640)}, {receive(0, 640)}, {receive(1, 640)}};
  Machine there = shared_row(4);
  CHECK(replay(crossing, there).seconds == 2 * kOverhead + 2 * kLatency + 20);
  CHECK(replay(crossing, there).carried == std::vector<double>{640, 0, 1280, 0, 640, 0});
  there.contention = false;
  CHECK(replay(crossing, there).seconds == 2 * kOverhead + 2 * kLatency + 10);
  // Both ways at once do not meet.
  const Schedule exchange{{send(1, 640), receive(1, 640)}, {send(0, 640), receive(0, 640)}};
  CHECK(replay(exchange, shared_row(2)).seconds == 2 * kOverhead + kLatency + 10);
}

TEST_CASE("links that are one medium, and ports of nodes, are shared by all that use them") {
  const Schedule pairs{{send(1, 640)}, {receive(0, 640)}, {send(3, 640)}, {receive(2, 640)}};
  Machine there = shared_row(4);
  CHECK(replay(pairs, there).seconds == 2 * kOverhead + kLatency + 10);
  std::fill(there.routes.share.begin(), there.routes.share.end(), 0U);
  CHECK(replay(pairs, there).seconds == 2 * kOverhead + kLatency + 20);
  // Node 1 sends in both directions of the row, through one port.
  const Schedule out{{receive(2, 640)}, {}, {send(0, 640)}, {send(4, 640)}, {receive(3, 640)}, {}};
  Machine narrow = shared_row(3, 2);
  CHECK(replay(out, narrow).seconds == 2 * kOverhead + kLatency + 10);
  narrow.routes.port = 1 / kPerByte;
  CHECK(replay(out, narrow).seconds == 2 * kOverhead + kLatency + 20);
}

TEST_CASE("all to all on a row takes at least what its middle has to carry") {
  const int size = 16;
  const Outcome found = replay(listed("mpi/alltoall", "linear", size, 6400), shared_row(size));
  const double half = size / 2.0;
  const double middle = half * half * 6400;
  CHECK(*std::max_element(found.carried.begin(), found.carried.end()) == middle);
  CHECK(found.seconds > middle * kPerByte);
  CHECK(found.seconds < 1.5 * middle * kPerByte);
}

}  // namespace leadline::replay
