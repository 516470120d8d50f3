#include "runtime/explain/observer/job_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <type_traits>

#include "runtime/explain/observer/job_line.hpp"
#include "runtime/explain/observer/slow_node.hpp"

namespace leadline::explain {
namespace {

// A file has so many bytes, and for each rank above these so many more.
constexpr std::size_t kMostBytes = 10240;
constexpr std::size_t kRanksInThese = 100;
constexpr std::size_t kBytesOfFurtherRank = 150;
// Of the room that ranks leave: the part of slices, and of what these leave, up to which part of it
// there are peers, and then rows.
constexpr double kPartOfSlices = 0.3;
constexpr double kPartOfPeers = 0.2;
constexpr double kPartOfRows = 0.7;

u64 microseconds(u64 ticks, const Block& block) {
  const double found = 1e6 * static_cast<double>(ticks) * block.seconds_per_tick;
  return found > 0 ? static_cast<u64>(std::llround(found)) : 0;
}

std::string in(const char* text, std::size_t room) { return {text, strnlen(text, room)}; }

// The functions, places and objects that lines name by numbers; 0 is no place.
class Names {
 public:
  explicit Names(const NodeFile& file) : file_(file) {}

  bool is_known(u32 function) const { return function != 0 && function < file_.header().functions; }
  // What is to be said of a function and a place before they can be named.
  std::string lines_for(u32 function, const Site& site) const {
    std::string lines;
    if (!functions_.contains(function)) {
      const FunctionName& known = file_.functions()[function];
      lines += line("function", function, field(in(known.name, sizeof known.name)),
                    static_cast<u32>(known.kind));
    }
    const Place place = place_of(site);
    if (place.text.empty() || places_.contains(place)) return lines;
    const auto object = objects_.find(place.object);
    const std::size_t next = objects_.size() + 1;
    if (object == objects_.end()) lines += line("object", next, field(place.object));
    return lines + line("place", places_.size() + 1, field(place.text),
                        object == objects_.end() ? next : object->second, place.address);
  }

  void keep(u32 function, const Site& site) {
    functions_.insert(function);
    const Place place = place_of(site);
    if (place.text.empty()) return;
    objects_.try_emplace(place.object, objects_.size() + 1);
    places_.try_emplace(place, places_.size() + 1);
  }

  // That which it has or, where it is not kept yet, would get.
  std::size_t number(const Site& site) const {
    const Place place = place_of(site);
    const auto known = places_.find(place);
    if (known != places_.end()) return known->second;
    return place.text.empty() ? 0 : places_.size() + 1;
  }

 private:
  struct Place {
    std::string text, object;
    u64 address;
    auto operator<=>(const Place&) const = default;
  };
  static Place place_of(const Site& site) {
    return {in(site.text, sizeof site.text), in(site.object, sizeof site.object), site.address};
  }

  const NodeFile& file_;
  std::set<u32> functions_;
  std::map<std::string, std::size_t> objects_;
  std::map<Place, std::size_t> places_;
};

// A line that is written if there is room for it.
struct Wish {
  double seconds;
  std::size_t digest;
  std::size_t index;
};

class Text {
 public:
  Text(const NodeFile& file, const std::vector<Digest>& digests)
      : file_(file), digests_(digests), lines_(digests.size()), names_(file) {
    for (const Digest& digest : digests) rests_.push_back(digest.rest);
  }

  std::string all(const std::string& head) {
    const std::string last = line("end");
    const auto ranks = std::size_t{file_.header().ranks_total};
    const std::size_t further = ranks > kRanksInThese ? ranks - kRanksInThese : 0;
    const std::size_t most = kMostBytes + kBytesOfFurtherRank * further;
    used_ = head.size() + last.size();
    for (std::size_t i = 0; i < digests_.size(); ++i) put_rank(i);
    for (std::size_t i = 0; i < digests_.size(); ++i) put_current(i);
    const auto part = [&](double of) {
      const auto left = static_cast<double>(most > used_ ? most - used_ : 0);
      return used_ + static_cast<std::size_t>(left * of);
    };
    put_slices(part(kPartOfSlices));
    const std::size_t for_peers = part(kPartOfPeers);
    const std::size_t for_rows = part(kPartOfRows);
    put_peers(for_peers);
    put_rows(for_rows);
    put_rests(most);
    std::string text = head + named_;
    for (const std::string& each : lines_) text += each;
    return text + last;
  }

 private:
  void put(std::size_t digest, const std::string& what) {
    lines_[digest] += what;
    used_ += what.size();
  }

  // With what names the function and the place that it is about.
  void put_named(std::size_t digest, const std::string& what, u32 function, const Site& site) {
    const std::string lines = names_.lines_for(function, site);
    names_.keep(function, site);
    named_ += lines;
    used_ += lines.size();
    put(digest, what);
  }

  static std::string rank_line(const Totals& totals) {
    const Block& block = totals.block;
    const auto since = [&](u64 from, u64 until) {
      return from != 0 && until > from ? std::to_string(microseconds(until - from, block))
                                       : std::string("-");
    };
    // Who has called the API's end has come through.
    const bool is_through =
        block.state == static_cast<u32>(State::kRunning) && block.last_ticks != 0;
    const u32 state = is_through ? static_cast<u32>(State::kFinalized) : block.state;
    return line("rank", block.rank, totals.node, state,
                microseconds(block.end_ticks - block.start_ticks, block),
                microseconds(block.mpi_ticks, block), microseconds(block.waiting_ticks, block),
                microseconds(block.io_ticks, block), microseconds(block.other_threads_ticks, block),
                block.queued_known != 0 ? std::to_string(block.queued_ns / 1000) : std::string("-"),
                since(block.start_ticks, block.first_ticks),
                since(block.last_ticks, block.end_ticks), block.calls, block.lost_rows,
                block.lost_sites, block.lost_requests, block.lost_stamps);
  }

  void put_rank(std::size_t of) {
    const Totals& totals = digests_[of].totals;
    put(of, rank_line(totals));
    const Threads& threads = totals.threads;
    if (threads.workers == 0) return;
    put(of, line("threads", threads.workers, threads.cores, threads.wanted_ns / 1000));
  }

  // The call that a rank is in which has not ended.
  void put_current(std::size_t of) {
    const Block& block = digests_[of].totals.block;
    const u32 function = block.current.function;
    const auto state = static_cast<State>(block.state);
    if ((state != State::kRunning && state != State::kGone) || block.last_ticks != 0) return;
    if (!names_.is_known(function)) return;
    const Site& site = digests_[of].sites[block.current.site];
    const u64 since = block.current.since_ticks;
    const u64 ticks = block.end_ticks > since ? block.end_ticks - since : 0;
    put_named(of, line("in", function, names_.number(site), microseconds(ticks, block)), function,
              site);
  }

  // A letter for each slice, `0` is nothing; `-` for nothing in all of them.
  static std::string letters(const std::uint8_t (&parts)[Slices::kMost], u32 used) {
    const auto* const end = parts + used;
    if (std::all_of(parts, end, [](std::uint8_t each) { return each == 0; })) return "-";
    std::string text;
    for (const auto* each = parts; each != end; ++each) text += static_cast<char>('0' + *each);
    return text;
  }

  // Those of all ranks, which are set against each other, or none.
  void put_slices(std::size_t most) {
    std::vector<std::string> lines;
    std::size_t size = used_;
    for (const Digest& digest : digests_) {
      const Totals& totals = digest.totals;
      const Slices& slices = totals.slices;
      if (slices.used == 0) return;
      lines.push_back(
          line("slices", microseconds(slices.ticks, totals.block), slices.used,
               letters(slices.computing, slices.used), letters(slices.queued, slices.used),
               letters(slices.throttled, slices.used), letters(slices.clock, slices.used),
               letters(slices.stolen, slices.used)));
      size += lines.back().size();
    }
    if (size > most) return;
    for (std::size_t i = 0; i < lines.size(); ++i) put(i, lines[i]);
  }

  // What took longest first.
  template <typename What, typename Ticks>
  std::vector<Wish> wishes(const What& of_digest, const Ticks& ticks) const {
    std::vector<Wish> found;
    for (std::size_t i = 0; i < digests_.size(); ++i) {
      const double tick = digests_[i].totals.block.seconds_per_tick;
      for (const auto& each : of_digest(i)) {
        found.push_back({.seconds = static_cast<double>(ticks(each)) * tick,
                         .digest = i,
                         .index = static_cast<std::size_t>(&each - of_digest(i).data())});
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Wish& a, const Wish& b) { return a.seconds > b.seconds; });
    return found;
  }

  void put_peers(std::size_t most) {
    const auto peers = [&](std::size_t i) -> auto& { return digests_[i].peers; };
    const auto waited = [](const NumberedPeer& each) { return each.peer.waited_ticks; };
    for (const Wish& wish : wishes(peers, waited)) {
      const Digest& digest = digests_[wish.digest];
      const auto& [rank, pad, peer] = digest.peers[wish.index];
      const std::string text =
          line("peer", rank, peer.messages, peer.bytes,
               microseconds(peer.waited_ticks, digest.totals.block), peer.waited_calls);
      if (used_ + text.size() > most) return;
      put(wish.digest, text);
    }
  }

  static std::string times_of(const Row& row, const Block& block) {
    std::string text = line(
        std::to_string(row.calls), row.bytes, microseconds(row.ticks, block),
        microseconds(row.waiting_ticks, block), microseconds(row.slowest_ticks, block),
        microseconds(row.late_sender_ticks, block), microseconds(row.late_receiver_ticks, block));
    text.pop_back();
    return text;
  }

  static u64 ticks_of(const Row& row) { return row.ticks; }

  void put_rows(std::size_t most) {
    const auto rows = [&](std::size_t i) -> auto& { return digests_[i].rows; };
    for (const Wish& wish : wishes(rows, ticks_of)) {
      const Digest& digest = digests_[wish.digest];
      const Row& row = digest.rows[wish.index];
      if (!names_.is_known(row.function)) continue;
      const Site& site = digest.sites[row.site];
      const std::string names = names_.lines_for(row.function, site);
      const std::string text =
          line("row", row.function, names_.number(site), row.size_class, row.comm_ranks, row.nodes,
               row.flags, times_of(row, digest.totals.block));
      if (used_ + names.size() + text.size() > most) {
        sum_by_function(rests_[wish.digest], row);
        continue;
      }
      put_named(wish.digest, text, row.function, site);
    }
  }

  void put_rests(std::size_t most) {
    for (const Wish& wish : wishes([&](std::size_t i) -> auto& { return rests_[i]; }, ticks_of)) {
      const Row& row = rests_[wish.digest][wish.index];
      if (!names_.is_known(row.function)) continue;
      const std::string names = names_.lines_for(row.function, Site{});
      const std::string text =
          line("rest", row.function, times_of(row, digests_[wish.digest].totals.block));
      if (used_ + names.size() + text.size() > most) continue;
      put_named(wish.digest, text, row.function, Site{});
    }
  }

  const NodeFile& file_;
  const std::vector<Digest>& digests_;
  std::vector<std::string> lines_;  // of each digest
  std::vector<std::vector<Row>> rests_;
  Names names_;
  std::string named_;  // what says which numbers they have
  std::size_t used_ = 0;
};

std::string hosts(const std::vector<Digest>& digests) {
  std::string text;
  std::set<u32> told;
  for (const Digest& digest : digests) {
    const Totals& totals = digest.totals;
    if (!told.insert(totals.node).second) continue;
    text += line("host", totals.node, field(in(totals.host, sizeof totals.host)));
  }
  return text;
}

// What observing all of these ranks has cost.
std::string cost(const std::vector<Digest>& digests) {
  u64 own = 0;
  u32 one_in = 1;
  for (const Digest& digest : digests) {
    own += microseconds(digest.totals.cost.own_ticks, digest.totals.block);
    one_in = std::max(one_in, digest.totals.cost.one_in);
  }
  return line("cost", own, one_in);
}

}  // namespace

std::string job_text(const std::string& head, const NodeFile& file,
                     const std::vector<Digest>& digests) {
  // Whose the file is that is written now.
  return Text(file, digests)
      .all(head + line("user", geteuid()) + slow_lines(file) + hosts(digests) + cost(digests));
}

}  // namespace leadline::explain
