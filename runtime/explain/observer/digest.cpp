#include "runtime/explain/observer/digest.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "runtime/shared/ticks.hpp"

namespace leadline::explain {
namespace {

using runtime::ticks;

constexpr std::size_t kMostPeersKept = 8;
// So many rows of all ranks are brought to the first one, which keeps of them what fits.
constexpr u32 kRowsOfAll = 1024;
constexpr u32 kMostRows = 256;

void add(Row& sum, const Row& row) {
  sum.calls += row.calls;
  sum.bytes += row.bytes;
  sum.ticks += row.ticks;
  sum.waiting_ticks += row.waiting_ticks;
  sum.slowest_ticks = std::max(sum.slowest_ticks, row.slowest_ticks);
  sum.late_sender_ticks += row.late_sender_ticks;
  sum.late_receiver_ticks += row.late_receiver_ticks;
  sum.flags |= row.flags;
}

bool is_longer(const Row& a, const Row& b) { return a.ticks > b.ticks; }

// Puts the site into those that are kept, and returns its number there.
u32 keep_site(std::vector<Site>& kept, const Site& site) {
  const auto same = [&](const Site& each) {
    return each.address == site.address && std::strcmp(each.text, site.text) == 0 &&
           std::strcmp(each.object, site.object) == 0;
  };
  const auto known = std::find_if(kept.begin(), kept.end(), same);
  if (known != kept.end()) return static_cast<u32>(known - kept.begin());
  kept.push_back(site);
  return static_cast<u32>(kept.size() - 1);
}

template <typename Type>
void append_all(std::vector<std::byte>& bytes, const std::vector<Type>& all) {
  const u64 count = all.size();
  const auto* const number = reinterpret_cast<const std::byte*>(&count);
  bytes.insert(bytes.end(), number, number + sizeof count);
  const auto* const first = reinterpret_cast<const std::byte*>(all.data());
  bytes.insert(bytes.end(), first, first + sizeof(Type) * all.size());
}

template <typename Type>
bool read_all(const std::vector<std::byte>& bytes, std::size_t& at, std::vector<Type>& all) {
  u64 count = 0;
  if (bytes.size() - at < sizeof count) return false;
  std::memcpy(&count, bytes.data() + at, sizeof count);
  at += sizeof count;
  if ((bytes.size() - at) / sizeof(Type) < count) return false;
  all.resize(count);
  std::memcpy(all.data(), bytes.data() + at, sizeof(Type) * count);
  at += sizeof(Type) * count;
  return true;
}

std::uint8_t part(double of, double whole) {
  return static_cast<std::uint8_t>(std::lround(Slices::kWhole * std::clamp(of / whole, 0.0, 1.0)));
}

Slices slices_of(const Block& block, const Mark* marks) {
  Slices found;
  const u64 used = std::min(block.marks_used, u64{kMarks});
  const u64 step = used > Slices::kMost ? 2 : 1;
  found.ticks = block.slice_ticks * step;
  const auto width = static_cast<double>(found.ticks);
  const double width_s = width * block.seconds_per_tick;
  u64 fastest = ~u64{0};
  for (u64 i = 0; i < used; ++i) fastest = std::min(fastest, marks[i].probe_ticks);
  Mark before{};
  for (u64 i = step - 1; i < used; i += step) {
    const Mark& mark = marks[i];
    const u32 at = found.used++;
    const auto more = [](u64 now, u64 then) {
      return now > then ? static_cast<double>(now - then) : 0;
    };
    found.computing[at] = part(width - more(mark.mpi_ticks, before.mpi_ticks), width);
    found.queued[at] = part(1e-9 * more(mark.queued_ns, before.queued_ns), width_s);
    found.throttled[at] = part(1e-6 * more(mark.throttled_us, before.throttled_us), width_s);
    found.stolen[at] = part(1e-6 * more(mark.stolen_us, before.stolen_us), width_s);
    found.clock[at] = part(more(mark.probe_ticks, fastest), static_cast<double>(fastest));
    before = mark;
  }
  return found;
}

// At most so many rows stand for themselves.
Digest digest_of(const NodeFile& file, int index, std::size_t most_rows) {
  Digest digest;
  const Header& header = file.header();
  const Block& block = file.block(index);
  const auto* const bytes = reinterpret_cast<const std::byte*>(&block);
  const auto* const rows = reinterpret_cast<const Row*>(bytes + kRowsOffset);
  const auto* const sites = reinterpret_cast<const Site*>(bytes + kSitesOffset);
  const auto* const peers = reinterpret_cast<const Peer*>(bytes + kPeersOffset);
  const auto* const marks = reinterpret_cast<const Mark*>(bytes + header.marks_offset);
  digest.totals = {
      .node = header.node, .host = {}, .block = block, .slices = slices_of(block, marks)};
  digest.totals.threads =
      *reinterpret_cast<const Threads*>(bytes + threads_offset(header.peers, header.visits));
  digest.totals.cost =
      *reinterpret_cast<const Cost*>(bytes + cost_offset(header.peers, header.visits));
  std::memcpy(digest.totals.host, header.host, sizeof header.host);
  if (digest.totals.block.end_ticks == 0) digest.totals.block.end_ticks = ticks();
  const u32 used = std::min(std::atomic_ref(const_cast<u32&>(block.rows_used)).load(), kRows);
  const u32 named = std::min(std::atomic_ref(const_cast<u32&>(block.sites_used)).load(), kSites);
  digest.rows.assign(rows, rows + used);
  std::stable_sort(digest.rows.begin(), digest.rows.end(), is_longer);
  for (std::size_t i = most_rows; i < digest.rows.size(); ++i) {
    sum_by_function(digest.rest, digest.rows[i]);
  }
  if (digest.rows.size() > most_rows) digest.rows.resize(most_rows);
  std::stable_sort(digest.rest.begin(), digest.rest.end(), is_longer);
  const auto kept = [&](u32 site) {
    return keep_site(digest.sites, site < named ? sites[site] : Site{});
  };
  for (Row& row : digest.rows) row.site = kept(row.site);
  digest.totals.block.current.site = kept(block.current.site);
  for (u32 rank = 0; rank < header.peers; ++rank) {
    if (peers[rank].waited_ticks == 0) continue;
    digest.peers.push_back({.rank = rank, .pad = 0, .peer = peers[rank]});
  }
  std::stable_sort(digest.peers.begin(), digest.peers.end(), [](const auto& a, const auto& b) {
    return a.peer.waited_ticks > b.peer.waited_ticks;
  });
  if (digest.peers.size() > kMostPeersKept) digest.peers.resize(kMostPeersKept);
  return digest;
}

}  // namespace

void sum_by_function(std::vector<Row>& sums, const Row& row) {
  const auto known = std::find_if(sums.begin(), sums.end(),
                                  [&](const Row& each) { return each.function == row.function; });
  if (known != sums.end()) return add(*known, row);
  sums.push_back(row);
  sums.back().site = sums.back().size_class = sums.back().comm_ranks = sums.back().nodes = 0;
}

std::vector<Digest> digests_of(const NodeFile& file) {
  const Header& header = file.header();
  const std::size_t most_rows =
      std::clamp(kRowsOfAll / std::max(header.ranks_total, 1U), 1U, kMostRows);
  std::vector<Digest> found;
  for (u32 index = 0; index < header.ranks_here; ++index) {
    Block& block = file.block(static_cast<int>(index));
    if (std::atomic_ref(block.rank).load(std::memory_order_acquire) == kNoRank) continue;
    found.push_back(digest_of(file, static_cast<int>(index), most_rows));
  }
  return found;
}

void append(std::vector<std::byte>& bytes, const Digest& digest) {
  append_all(bytes, std::vector<Totals>{digest.totals});
  append_all(bytes, digest.rows);
  append_all(bytes, digest.rest);
  append_all(bytes, digest.sites);
  append_all(bytes, digest.peers);
}

std::vector<Digest> read_digests(const std::vector<std::byte>& bytes) {
  std::vector<Digest> found;
  for (std::size_t at = 0; at < bytes.size();) {
    Digest digest;
    std::vector<Totals> totals;
    if (!read_all(bytes, at, totals) || !read_all(bytes, at, digest.rows) ||
        !read_all(bytes, at, digest.rest) || !read_all(bytes, at, digest.sites) ||
        !read_all(bytes, at, digest.peers) || totals.size() != 1) {
      break;
    }
    digest.totals = totals[0];
    found.push_back(std::move(digest));
  }
  return found;
}

}  // namespace leadline::explain
