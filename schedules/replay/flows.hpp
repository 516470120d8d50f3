// What messages that are under way together get of the links that they share.
//
// Max-min fair flows: the rates of all grow alike until a link is full, or one has what it can
// take; those stay as they are, and the others grow on (Bertsekas, Gallager: Data Networks, 2nd
// edition 1992, section 6.5.2). A flow over h links counts h times on each of them, so that it gets
// less than its neighbours that come from near: what switches that serve their inputs in turns do
// to those who pass several of them, and what SimGrid computes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <vector>

namespace leadline::replay {

class Flows {
 public:
  // Bytes/s of each link.
  explicit Flows(std::vector<double> capacity);

  // From `now_s` on `bytes` flow over `links`, each at most once, `most` of them in a second.
  void start(double now_s, std::uint32_t id, std::span<const std::uint32_t> links, double bytes,
             double most);

  // When something happens next; infinity where nothing flows.
  double next_s() const;

  // Brings about what happens at `next_s()`, and tells `done` the ids of flows that have ended.
  void advance(const std::function<void(std::uint32_t id, double at_s)>& done);

 private:
  struct Flow {
    std::uint32_t id = 0;
    std::uint32_t version = 0;  // of its end
    std::uint32_t seen = 0;
    double left = 0.0;  // bytes at `since_s`
    double most = 0.0;
    double rate = 0.0;
    double fresh = 0.0;  // the rate that a settlement gives it, below 0 while it grows
    double since_s = 0.0;
    double slack_s = 0.0;  // for which its end may wait to be settled
    std::vector<std::uint32_t> links;
    std::vector<std::uint32_t> places;  // in the list of each link
  };
  struct Place {
    std::uint32_t flow;
    std::uint32_t hop;
  };
  struct Link {
    double capacity = 0.0;
    std::vector<Place> flows;
    std::uint32_t seen = 0;
    double left = 0.0;
    double weight = 0.0;  // of its flows that may still grow
  };
  struct End {
    double at_s;
    std::uint32_t flow;
    std::uint32_t version;
    bool operator>(const End& other) const {
      return at_s != other.at_s ? at_s > other.at_s : flow > other.flow;
    }
  };

  void finish(std::uint32_t flow, double now_s);
  void touch(std::uint32_t link, double now_s, double slack_s);
  void settle();
  void gather();
  void fill();
  void freeze(std::uint32_t flow, double rate);
  void set_rate(std::uint32_t flow, double rate, double now_s);
  void drop_stale();

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  // Links on which flows have begun or ended, and when the others are told.
  std::vector<std::uint32_t> touched_;
  double settle_s_ = std::numeric_limits<double>::infinity();
  std::uint32_t round_ = 0;
  // Of one settlement.
  std::vector<std::uint32_t> near_links_;
  std::vector<std::uint32_t> near_flows_;
  std::vector<std::pair<double, std::uint32_t>> limits_;
  std::vector<std::pair<double, std::uint32_t>> levels_;
};

}  // namespace leadline::replay
