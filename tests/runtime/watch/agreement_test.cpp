#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "runtime/explain/watch/agreement.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tests/runtime/watch/series.hpp"

namespace leadline::explain {
namespace {

struct Told {
  double at_s;
  Judge::News news;
};

// How many times as long as usual a node computes.
using Factor = std::function<double(unsigned node, double at_s)>;

// A job of so many nodes with four ranks each; what is written comes through text.
std::vector<Told> told(unsigned nodes, unsigned seed, double noise, double seconds,
                       const Factor& factor) {
  std::vector<Member> members;
  std::vector<Series> series;
  std::vector<std::string> board(nodes);
  Judge judge;
  std::vector<Told> found;
  for (unsigned node = 0; node < nodes; ++node) {
    series.emplace_back(seed * nodes + node, noise);
    members.emplace_back(Node{.number = node,
                              .host = "n" + std::to_string(node),
                              .ranks = "ranks 0-3",
                              .ranks_here = 4,
                              .ranks_total = 4 * nodes});
  }
  for (double at_s = 0; at_s < seconds; at_s += kEvery) {
    const double now_s = at_s + kEvery;
    for (unsigned node = 0; node < nodes; ++node) {
      members[node].add(series[node].next(at_s, factor(node, at_s)));
      if (!members[node].listens()) continue;
      std::vector<Statement> all;
      for (unsigned other = 0; other < nodes; ++other) {
        if (other == node || board[other].empty()) continue;
        all.push_back(statement_of(board[other]).value());
      }
      const std::vector<Statement> others = all;
      all.push_back(members[node].say(others, now_s));
      if (node == 0) {
        for (const Judge::News& news : judge.judge(all, now_s)) found.push_back({now_s, news});
        members[0].tell(judge.told());
        all.back() = members[0].say(others, now_s);
      }
      board[node] = all.back().is_empty() ? "" : text_of(all.back());
    }
  }
  const bool is_over = found.empty() || found.back().news.is_over;
  for (const std::string& left : board) CHECK((is_over ? left : "") == "");
  return found;
}

}  // namespace

TEST_CASE("a slow node is told once within 30 s, and its end") {
  int missed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const unsigned slow = seed % 8;
    const auto factor = [&](unsigned node, double at_s) {
      return node == slow && at_s >= 200 && at_s < 280 ? 1.7 : 1.0;
    };
    const std::vector<Told> found = told(seed % 2 == 0 ? 8 : 12, seed, 0.07, 400, factor);
    if (found.empty()) {
      ++missed;
      continue;
    }
    REQUIRE(found.size() == 2);
    CHECK(found[0].news.of.node.number == slow);
    CHECK(found[0].news.of.node.host == "n" + std::to_string(slow));
    CHECK_FALSE(found[0].news.is_over);
    CHECK(found[0].at_s <= 230);
    CHECK(found[1].news.is_over);
    CHECK(std::abs(*found[1].news.of.slowness->until_s - 280) <= 4);
  }
  CHECK(missed <= 2);
}

TEST_CASE("of two nodes each can be the slow one, and it stays told") {
  for (unsigned slow = 0; slow < 2; ++slow) {
    const auto found = told(2, 1 + slow, 0.05, 900, [&](unsigned node, double at_s) {
      return node == slow && at_s >= 200 ? 1.6 : 1.0;
    });
    REQUIRE(found.size() == 1);
    CHECK(found[0].news.of.node.number == slow);
  }
}

TEST_CASE("where all nodes or half of them compute longer nothing is told") {
  int alarms = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const unsigned of = 1 + seed % 2;
    alarms +=
        told(8, seed, 0.1, 600,
             [&](unsigned node, double at_s) {
               return node % of == 0 && at_s >= 200 && at_s < 350 ? 1.3 + 0.1 * (seed % 10) : 1.0;
             }).empty()
            ? 0
            : 1;
  }
  CHECK(alarms <= 1);
}

TEST_CASE("no noise makes a slow node, nor spikes, nor a pace that wanders on each node") {
  int alarms = 0;
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> step(0, 0.015);
    std::uniform_real_distribution<double> part(0, 1);
    std::vector<double> pace(8);
    const Factor factors[] = {
        [](unsigned, double) { return 1.0; },
        [&](unsigned, double) { return part(random) < 0.1 ? 1 + 4 * part(random) : 1.0; },
        [&](unsigned node, double) {
          pace[node] = 0.95 * pace[node] + step(random);
          return std::exp(pace[node]);
        },
    };
    for (const Factor& factor : factors) {
      alarms += told(8, seed, 0.08, 1800, factor).empty() ? 0 : 1;
    }
  }
  CHECK(alarms == 0);
}

TEST_CASE("a job of which nodes turn slow again and again is told of some of them") {
  const auto found = told(8, 1, 0.05, 4000, [](unsigned node, double at_s) {
    return at_s >= 200 && at_s < 3800 && std::fmod(at_s, 80) < 40 &&
                   node == std::floor(std::fmod(at_s / 80, 8))
               ? 1.7
               : 1.0;
  });
  CHECK(found.size() <= 32);
}

TEST_CASE("a node that turns slow in another part of the program is told") {
  const auto found = told(8, 3, 0.05, 900, [](unsigned node, double at_s) {
    return (at_s >= 200 ? 2.0 : 1.0) * (node == 5 && at_s >= 500 ? 1.7 : 1.0);
  });
  REQUIRE(found.size() == 1);
  CHECK(found[0].news.of.node.number == 5);
  CHECK(std::abs(found[0].news.of.slowness->since_s - 500) <= 4);
}

TEST_CASE("what a node says is read as it was written, and nothing else") {
  Statement said{
      .node =
          {.number = 3, .host = "n 3%", .ranks = "ranks 4-7", .ranks_here = 4, .ranks_total = 16},
      .slowness = Slowness{.since_s = 1796058787.25, .factor = 1.5, .until_s = 1796058800},
      .denied = {{.node = 1, .since_ms = 12}},
      .told = {}};
  const auto read = statement_of(text_of(said));
  REQUIRE(read.has_value());
  CHECK(text_of(*read) == text_of(said));
  CHECK(read->node.host == "n 3%");
  for (const char* const none : {"", "node 1\n", "node 1 4 16 n%0A3 ranks\n", "slow 1 2 3\n",
                                 "node 1 4 16 n1 ranks\nslow 1 x 3\n", "exec rm\n"}) {
    CHECK_FALSE(statement_of(none).has_value());
  }
}

}  // namespace leadline::explain
