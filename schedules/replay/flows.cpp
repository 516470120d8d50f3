#include "schedules/replay/flows.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace leadline::replay {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// With more flows than these, what begins and ends within such a part of a flow's time is settled
// together: all of them may depend on each other.
constexpr std::size_t kMany = 512;
constexpr double kSlack = 1.0 / 32;

}  // namespace

Flows::Flows(std::vector<double> capacity) : links_(capacity.size()) {
  for (std::size_t i = 0; i < capacity.size(); ++i) links_[i].capacity = capacity[i];
}

void Flows::start(double now_s, std::uint32_t id, std::span<const std::uint32_t> links,
                  double bytes, double most) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Flow& flow = flows_[number];
  flow.id = id;
  flow.left = bytes;
  flow.most = most;
  flow.rate = 0.0;
  flow.since_s = now_s;
  flow.links.assign(links.begin(), links.end());
  flow.places.clear();
  std::size_t crowd = 1;
  double rate = most;
  for (std::uint32_t hop = 0; hop < links.size(); ++hop) {
    Link& link = links_[links[hop]];
    rate = std::min(rate, link.capacity);
    flow.places.push_back(static_cast<std::uint32_t>(link.flows.size()));
    link.flows.push_back({number, hop});
    crowd = std::max(crowd, link.flows.size());
  }
  flow.slack_s = kSlack * static_cast<double>(crowd) * bytes / most;
  if (crowd == 1) {
    set_rate(number, rate, now_s);
  } else {
    touch(links.front(), now_s, flow.slack_s);
  }
}

double Flows::next_s() const {
  return std::min(settle_s_, ends_.empty() ? kNever : ends_.top().at_s);
}

void Flows::advance(const std::function<void(std::uint32_t, double)>& done) {
  if (ends_.empty() || settle_s_ < ends_.top().at_s) {
    settle();
    return;
  }
  const End end = ends_.top();
  ends_.pop();
  const std::uint32_t id = flows_[end.flow].id;
  finish(end.flow, end.at_s);
  drop_stale();
  done(id, end.at_s);
}

void Flows::finish(std::uint32_t number, double now_s) {
  Flow& flow = flows_[number];
  ++flow.version;
  for (std::uint32_t hop = 0; hop < flow.links.size(); ++hop) {
    std::vector<Place>& list = links_[flow.links[hop]].flows;
    const Place moved = list.back();
    list[flow.places[hop]] = moved;
    flows_[moved.flow].places[moved.hop] = flow.places[hop];
    list.pop_back();
    if (!list.empty()) touch(flow.links[hop], now_s, flow.slack_s);
  }
  free_.push_back(number);
}

void Flows::touch(std::uint32_t link, double now_s, double slack_s) {
  touched_.push_back(link);
  const bool many = flows_.size() - free_.size() > kMany;
  settle_s_ = std::min(settle_s_, many ? now_s + slack_s : now_s);
}

void Flows::settle() {
  const double now_s = settle_s_;
  gather();
  fill();
  for (const std::uint32_t flow : near_flows_) {
    const double fresh = flows_[flow].fresh;
    if (std::abs(fresh - flows_[flow].rate) > 1e-9 * fresh) set_rate(flow, fresh, now_s);
  }
  settle_s_ = kNever;
  drop_stale();
}

// All whose rates may depend on what was touched.
void Flows::gather() {
  ++round_;
  near_links_.clear();
  near_flows_.clear();
  const auto reach = [this](std::uint32_t number) {
    Link& link = links_[number];
    if (link.seen == round_) return;
    link.seen = round_;
    near_links_.push_back(number);
  };
  for (const std::uint32_t link : touched_) reach(link);
  touched_.clear();
  for (std::size_t i = 0; i < near_links_.size(); ++i) {
    for (const Place& place : links_[near_links_[i]].flows) {
      Flow& flow = flows_[place.flow];
      if (flow.seen == round_) continue;
      flow.seen = round_;
      near_flows_.push_back(place.flow);
      for (const std::uint32_t link : flow.links) reach(link);
    }
  }
}

void Flows::fill() {
  levels_.clear();
  limits_.clear();
  for (const std::uint32_t number : near_links_) {
    Link& link = links_[number];
    link.left = link.capacity;
    link.weight = 0.0;
  }
  for (const std::uint32_t number : near_flows_) {
    Flow& flow = flows_[number];
    flow.fresh = -1.0;
    const auto count = static_cast<double>(flow.links.size());
    limits_.emplace_back(flow.most * count, number);
    for (const std::uint32_t link : flow.links) links_[link].weight += 1.0 / count;
  }
  for (const std::uint32_t number : near_links_) {
    const Link& link = links_[number];
    if (link.weight > 0) levels_.emplace_back(link.left / link.weight, number);
  }
  std::sort(limits_.begin(), limits_.end());
  const std::greater<> later;
  std::make_heap(levels_.begin(), levels_.end(), later);
  auto limit = limits_.begin();
  std::size_t growing = near_flows_.size();
  while (growing > 0) {
    while (limit != limits_.end() && flows_[limit->second].fresh >= 0) ++limit;
    if (levels_.empty() || (limit != limits_.end() && limit->first <= levels_.front().first)) {
      freeze(limit->second, flows_[limit->second].most);
      --growing;
      continue;
    }
    std::pop_heap(levels_.begin(), levels_.end(), later);
    const auto [level, number] = levels_.back();
    levels_.pop_back();
    Link& link = links_[number];
    // Rounding leaves a trace of weight where nothing grows.
    if (link.weight < 1e-9) continue;
    const double now = std::max(0.0, link.left) / link.weight;
    if (now > level * (1 + 1e-12)) {
      levels_.emplace_back(now, number);
      std::push_heap(levels_.begin(), levels_.end(), later);
      continue;
    }
    for (const Place& place : link.flows) {
      Flow& flow = flows_[place.flow];
      if (flow.fresh >= 0) continue;
      freeze(place.flow, level / static_cast<double>(flow.links.size()));
      --growing;
    }
  }
}

void Flows::freeze(std::uint32_t number, double rate) {
  Flow& flow = flows_[number];
  flow.fresh = rate;
  const auto count = static_cast<double>(flow.links.size());
  for (const std::uint32_t one : flow.links) {
    links_[one].left -= rate;
    links_[one].weight -= 1.0 / count;
  }
}

void Flows::set_rate(std::uint32_t number, double rate, double now_s) {
  Flow& flow = flows_[number];
  flow.left = std::max(0.0, flow.left - flow.rate * (now_s - flow.since_s));
  flow.since_s = now_s;
  flow.rate = rate;
  ends_.push({now_s + flow.left / rate, number, ++flow.version});
}

void Flows::drop_stale() {
  while (!ends_.empty() && ends_.top().version != flows_[ends_.top().flow].version) ends_.pop();
}

}  // namespace leadline::replay
