#include "runtime/explain/watch/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "runtime/explain/observer/job_line.hpp"

namespace leadline::explain {
namespace {

// So many nodes are asked, which look often whether there is a question.
constexpr unsigned kAsked = 8;
// Until others have said what they see.
constexpr double kPatience = 8;
// Then it is no question any more, and what is over no news.
constexpr double kMostPatience = 30;
// What all nodes do at once they do within so many seconds.
constexpr double kTogether = 20;
// Of the ranks of the job, where several nodes turn slow at once; and so many nodes.
constexpr unsigned kMostPart = 4;
constexpr unsigned kMostNodes = 16;
// Where more is to be said than a reader reads, the figures are no good.
constexpr std::size_t kMostTold = 16;
// A slowness that nobody has told by then is a part of the program.
constexpr double kSettles = 60;
constexpr double kThousand = 1e3;
constexpr double kHundred = 1e2;

std::string shown(const char* what, const std::vector<Which>& many) {
  std::string text;
  for (const Which& each : many) text += line(what, each.node, each.since_ms);
  return text;
}

bool contains(const std::vector<Which>& many, const Which& one) {
  return std::find(many.begin(), many.end(), one) != many.end();
}

// By the words of the lines that this node writes.
bool read_line(const std::string& text, Statement& found) {
  std::istringstream fields(text);
  std::string what;
  fields >> what;
  Which one{};
  if (what == "node") {
    Node& node = found.node;
    fields >> node.number >> node.ranks_here >> node.ranks_total >> node.host >> node.ranks;
  } else if (what == "slow") {
    long long since_ms = 0;
    long long until_ms = 0;
    unsigned percent = 0;
    fields >> since_ms >> until_ms >> percent;
    found.slowness = {.since_s = static_cast<double>(since_ms) / kThousand,
                      .factor = percent / kHundred,
                      .until_s = {}};
    if (until_ms != 0) found.slowness->until_s = static_cast<double>(until_ms) / kThousand;
  } else if (what == "denied") {
    fields >> one.node >> one.since_ms;
    found.denied.push_back(one);
  } else if (what == "told") {
    fields >> one.node >> one.since_ms;
    found.told.push_back(one);
  } else {
    return false;
  }
  return !fields.fail();
}

// Back from a field of a line.
std::string unfield(const std::string& text) {
  std::string found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%' || at + 2 >= text.size()) {
      found += text[at];
      continue;
    }
    constexpr int kHexadecimal = 16;
    found += static_cast<char>(std::strtol(text.substr(at + 1, 2).c_str(), nullptr, kHexadecimal));
    at += 2;
  }
  return found;
}

bool is_plain(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
  });
}

long long milliseconds(double seconds) { return std::llround(seconds * kThousand); }

bool begin_together(const Statement& a, const Statement& b) {
  return std::abs(a.slowness->since_s - b.slowness->since_s) <= kTogether;
}

// Whether nearly all of those that were asked compute as before, and few nodes longer.
bool is_sure(const Statement& one, const std::vector<Statement>& all) {
  unsigned nodes = 0;
  unsigned ranks = 0;
  unsigned denied = 0;
  for (const Statement& other : all) {
    denied += contains(other.denied, which(one)) ? 1 : 0;
    if (!other.slowness || !begin_together(one, other)) continue;
    ++nodes;
    ranks += other.node.ranks_here;
  }
  const auto [number, host, words, ranks_here, ranks_total] = one.node;
  const unsigned all_nodes = (ranks_total + ranks_here - 1) / ranks_here;
  const unsigned asked = std::min(kAsked, all_nodes) - (number < kAsked ? 1 : 0);
  const bool are_few = nodes == 1 || (nodes <= kMostNodes && ranks <= ranks_total / kMostPart);
  return are_few && denied > 0 && denied >= asked - asked / 4;
}

}  // namespace

Which which(const Statement& statement) {
  return {.node = statement.node.number, .since_ms = milliseconds(statement.slowness->since_s)};
}

std::string text_of(const Statement& statement) {
  const Node& node = statement.node;
  std::string text = line("node", node.number, node.ranks_here, node.ranks_total, field(node.host),
                          field(node.ranks));
  if (const auto& slow = statement.slowness) {
    text += line("slow", milliseconds(slow->since_s), milliseconds(slow->until_s.value_or(0)),
                 std::llround(slow->factor * kHundred));
  }
  return text + shown("denied", statement.denied) + shown("told", statement.told);
}

std::optional<Statement> statement_of(const std::string& text) {
  Statement found;
  std::istringstream lines(text);
  for (std::string each; std::getline(lines, each);) {
    if (!read_line(each, found)) return {};
  }
  found.node.host = unfield(found.node.host);
  found.node.ranks = unfield(found.node.ranks);
  const bool is_one = found.node.ranks_here != 0 && is_plain(found.node.host + found.node.ranks);
  return is_one ? std::optional(found) : std::nullopt;
}

bool Member::listens() const { return own_.node.number < kAsked || pace_.slowness(); }

const Statement& Member::say(const std::vector<Statement>& others, double now_s) {
  own_.slowness = pace_.slowness();
  std::vector<Which> denied;
  bool is_told = own_.slowness && contains(own_.told, which(own_));
  for (const Statement& other : others) {
    is_told |= own_.slowness && contains(other.told, which(own_));
    if (!other.slowness || own_.node.number >= kAsked) continue;
    const auto& [since_s, factor, until_s] = *other.slowness;
    if (pace_.is_as_before(since_s, factor)) denied.push_back(which(other));
  }
  own_.denied = std::move(denied);
  if (!own_.slowness) return own_;
  const auto& until_s = own_.slowness->until_s;
  const double age = now_s - until_s.value_or(own_.slowness->since_s);
  if (age > kSettles && (until_s || !is_told)) {
    pace_.settle();
    own_.slowness.reset();
  }
  return own_;
}

std::vector<Judge::News> Judge::judge(const std::vector<Statement>& all, double now_s) {
  std::vector<News> news;
  for (auto& [node, its] : cases_) its.is_here = false;
  for (const Statement& each : all) {
    if (!each.slowness) continue;
    const auto [of, is_new] = cases_.try_emplace(each.node.number, Case{which(each), now_s});
    Case& its = of->second;
    if (its.which != which(each)) its = {.which = which(each), .seen_s = now_s};
    its.is_here = true;
    if (each.slowness->until_s) {
      if (its.is_told && !its.is_closed) news.push_back({.of = each, .is_over = true});
      its.is_closed = true;
    }
    const double waited = now_s - its.seen_s;
    if (its.is_closed || its.is_told || waited < kPatience) continue;
    if (waited > kMostPatience) {
      its.is_closed = true;
      continue;
    }
    if (told_ == kMostTold || !is_sure(each, all)) continue;
    its.is_told = true;
    ++told_;
    news.push_back({.of = each, .is_over = false});
  }
  return news;
}

std::vector<Which> Judge::told() const {
  std::vector<Which> found;
  for (const auto& [node, its] : cases_) {
    if (its.is_told && its.is_here) found.push_back(its.which);
  }
  return found;
}

}  // namespace leadline::explain
