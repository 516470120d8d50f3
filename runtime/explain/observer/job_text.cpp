#include "runtime/explain/observer/job_text.hpp"

#include <fcntl.h>
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

#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {
namespace {

// A file has so many bytes, and for each rank above these so many more.
constexpr std::size_t kMostBytes = 10240;
constexpr std::size_t kRanksInThese = 100;
constexpr std::size_t kBytesOfFurtherRank = 150;
// Of the room that ranks leave: up to which part of it there are peers, and then rows.
constexpr double kPartOfPeers = 0.2;
constexpr double kPartOfRows = 0.7;

// The variables in which schedulers put a job's number, and that of a step of it.
constexpr const char* kJobs[][2] = {
    {"SLURM_JOB_ID", "SLURM_STEP_ID"}, {"PBS_JOBID", nullptr}, {"LSB_JOBID", nullptr},
    {"FLUX_JOB_ID", nullptr},          {"PJM_JOBID", nullptr}, {"COBALT_JOBID", nullptr},
    {"OAR_JOB_ID", nullptr},           {"JOB_ID", nullptr}};

std::string value_of(const char* variable) {
  const char* const value = variable != nullptr ? std::getenv(variable) : nullptr;
  return value != nullptr ? value : "";
}

// A string as one field of a line.
std::string field(const std::string& text) {
  if (text.empty()) return "-";
  if (text == "-") return "%2D";
  std::string found;
  for (const char letter : text) {
    if (letter > ' ' && letter < '\x7f' && letter != '%') {
      found += letter;
    } else {
      char code[4];
      std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(letter));
      found += code;
    }
  }
  return found;
}

template <typename... Fields>
std::string line(const std::string& what, const Fields&... fields) {
  std::string found = what;
  const auto put = [&found](const auto& each) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(each)>>) {
      found += ' ' + std::to_string(each);
    } else {
      found += ' ' + each;
    }
  };
  (put(fields), ...);
  return found + '\n';
}

u64 microseconds(u64 ticks, const Block& block) {
  const double found = 1e6 * static_cast<double>(ticks) * block.seconds_per_tick;
  return found > 0 ? static_cast<u64>(std::llround(found)) : 0;
}

std::string program_file() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return {path, length > 0 ? static_cast<std::size_t>(length) : 0};
}

// What Python runs: no other word of the command line is anybody's business.
std::string script_of(const std::string& program) {
  if (!program.substr(program.rfind('/') + 1).starts_with("python")) return "";
  std::string words(4096, '\0');
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file >= 0 ? read(file, words.data(), words.size()) : -1;
  if (file >= 0) close(file);
  words.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  for (std::size_t at = 0; at < words.size();) {
    const std::string word = words.c_str() + at;
    if (word.ends_with(".py")) return word.substr(word.rfind('/') + 1);
    at += word.size() + 1;
  }
  return "";
}

std::string in(const char* text, std::size_t room) { return {text, strnlen(text, room)}; }

// The functions, places and objects that lines name by numbers; 0 is no place.
class Names {
 public:
  // What is to be said of a function and a place before they can be named.
  std::string lines_for(u32 function, const Site& site) const {
    std::string lines;
    if (!functions_.contains(function)) {
      const Named known = named(static_cast<int>(function));
      lines +=
          line("function", function, field(std::string(known.name)), static_cast<u32>(known.kind));
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
  explicit Text(const std::vector<Digest>& digests) : digests_(digests), lines_(digests.size()) {
    for (const Digest& digest : digests) rests_.push_back(digest.rest);
  }

  std::string all(const std::string& head) {
    const std::string last = line("end");
    const auto ranks = static_cast<std::size_t>(observer.ranks);
    const std::size_t further = ranks > kRanksInThese ? ranks - kRanksInThese : 0;
    const std::size_t most = kMostBytes + kBytesOfFurtherRank * further;
    used_ = head.size() + last.size();
    for (std::size_t i = 0; i < digests_.size(); ++i) put(i, rank_line(digests_[i].totals));
    for (std::size_t i = 0; i < digests_.size(); ++i) put_current(i);
    const auto left = static_cast<double>(most > used_ ? most - used_ : 0);
    const auto part = [&](double of) { return used_ + static_cast<std::size_t>(left * of); };
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

  // The call that a rank is in which has not ended.
  void put_current(std::size_t of) {
    const Block& block = digests_[of].totals.block;
    const u32 function = block.current.function;
    if (block.state != static_cast<u32>(State::kRunning) || block.last_ticks != 0) return;
    if (function == 0 || function >= static_cast<u32>(function_count)) return;
    const Site& site = digests_[of].sites[block.current.site];
    const u64 since = block.current.since_ticks;
    const u64 ticks = block.end_ticks > since ? block.end_ticks - since : 0;
    put_named(of, line("in", function, names_.number(site), microseconds(ticks, block)), function,
              site);
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

  static bool is_known(const Row& row) {
    return row.function != 0 && row.function < static_cast<u32>(function_count);
  }

  void put_rows(std::size_t most) {
    const auto rows = [&](std::size_t i) -> auto& { return digests_[i].rows; };
    for (const Wish& wish : wishes(rows, ticks_of)) {
      const Digest& digest = digests_[wish.digest];
      const Row& row = digest.rows[wish.index];
      if (!is_known(row)) continue;
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
      if (!is_known(row)) continue;
      const std::string names = names_.lines_for(row.function, Site{});
      const std::string text =
          line("rest", row.function, times_of(row, digests_[wish.digest].totals.block));
      if (used_ + names.size() + text.size() > most) continue;
      put_named(wish.digest, text, row.function, Site{});
    }
  }

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

}  // namespace

std::string job_head(double began, const std::string& library) {
  const auto [job, step] = job_number();
  const std::string program = program_file();
  const std::string script = script_of(program);
  char time[32];
  std::snprintf(time, sizeof time, "%.3f", began);
  std::string text = line("leadline-job", 1) + line("began", std::string(time)) +
                     line("job", field(job), field(step)) + line("program", field(program));
  if (!script.empty()) text += line("script", field(script));
  return text + line("library", field(library)) + line("api", field(std::string(kApi))) +
         line("ranks", observer.ranks);
}

JobNumber job_number() {
  for (const auto& [job, step] : kJobs) {
    if (const std::string number = value_of(job); !number.empty()) return {number, value_of(step)};
  }
  return {};
}

std::string job_text(const std::string& head, const std::vector<Digest>& digests) {
  // Whose the file is that is written now.
  return Text(digests).all(head + line("user", geteuid()) + hosts(digests));
}

}  // namespace leadline::explain
