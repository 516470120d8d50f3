#include "runtime/explain/watch/slow_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "runtime/explain/observer/slow_node.hpp"
#include "runtime/explain/watch/words.hpp"

namespace leadline::explain {
namespace {

constexpr double kEvery = 1.9;

// As all nodes have it.
double time_s() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Node node_of(const NodeFile& file) {
  const Header& header = file.header();
  std::vector<u32> ranks;
  for (u32 index = 0; index < header.ranks_here; ++index) {
    ranks.push_back(file.block(static_cast<int>(index)).rank);
  }
  return {.number = header.node,
          .host = {header.host, strnlen(header.host, sizeof header.host)},
          .ranks = ranks_in_words(ranks),
          .ranks_here = header.ranks_here,
          .ranks_total = header.ranks_total};
}

// "since 12:03:04 (20 s ago)".
std::string since(double when_s, double now_s) {
  const auto second = static_cast<std::time_t>(when_s);
  std::tm when{};
  char time[16] = "";
  std::strftime(time, sizeof time, "%T", localtime_r(&second, &when));
  return std::string("since ") + time + " (" + seconds_in_words(now_s - when_s) + " ago)";
}

std::string words_of(const Judge::News& news, double now_s) {
  const auto& [node, slowness, denied, told] = news.of;
  const std::string who = "node " + node.host + " (" + node.ranks + ") computes ";
  if (news.is_over) return heading(who + "as before " + since(*slowness->until_s, now_s));
  char factor[32];
  std::snprintf(factor, sizeof factor, "%.1fx", slowness->factor);
  return heading(who + factor + " longer for each call " + since(slowness->since_s, now_s) +
                 ", the other nodes do not");
}

}  // namespace

SlowNodes::SlowNodes(const NodeFile& file, const JobPlace& place)
    : file_(file), board_(place, file.header().node), sampler_(file) {}

std::string SlowNodes::look() {
  const Header& header = file_.header();
  const double now_s = time_s();
  if (header.ranks_here == header.ranks_total || std::abs(now_s - looked_s_) < kEvery) return "";
  looked_s_ = now_s;
  if (const auto interval = sampler_.take(now_s)) {
    if (!member_) member_.emplace(node_of(file_));
    member_->add(*interval);
  }
  if (!member_ || !member_->listens()) return "";
  std::vector<Statement> all;
  for (const std::string& text : board_.of_others()) {
    if (auto other = statement_of(text)) all.push_back(std::move(*other));
  }
  all.push_back(member_->say(all, now_s));
  std::string said;
  if (header.node == 0) {
    for (const Judge::News& news : judge_.judge(all, now_s)) {
      said += words_of(news, now_s);
      keep(news);
    }
    member_->tell(judge_.told());
    all.back() = member_->say({all.begin(), all.end() - 1}, now_s);
  }
  board_.leave(all.back().is_empty() ? "" : text_of(all.back()));
  return said;
}

void SlowNodes::keep(const Judge::News& news) {
  const Slowness& slowness = *news.of.slowness;
  const auto whole = [](double number) { return static_cast<u64>(std::llround(number)); };
  constexpr double kHundred = 1e2;
  SlowNode kept{.host = "",
                .since_s = whole(slowness.since_s),
                .until_s = whole(slowness.until_s.value_or(0)),
                .percent = whole(slowness.factor * kHundred)};
  news.of.node.host.copy(kept.host, sizeof kept.host - 1);
  keep_slow_node(file_, kept);
}

}  // namespace leadline::explain
