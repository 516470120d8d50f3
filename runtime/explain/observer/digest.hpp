// What a rank has done, without the room that it has not used.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/explain/observer/format.hpp"

namespace leadline::explain {

struct NumberedPeer {
  u32 rank;
  u32 pad;
  Peer peer;
};

// The rank's time in slices from its start on, as many as there are: of each what is in its part of
// 63, of the clock what multiplications took longer than in the fastest slice.
struct Slices {
  static constexpr u32 kMost = 32;
  static constexpr double kWhole = 63;
  u64 ticks = 0;  // of a slice
  u32 used = 0;
  std::uint8_t computing[kMost] = {};
  std::uint8_t queued[kMost] = {};
  std::uint8_t throttled[kMost] = {};
  std::uint8_t clock[kMost] = {};
  std::uint8_t stolen[kMost] = {};
};

// Its node, and its block: of a rank that has not ended `end_ticks` are those of now.
struct Totals {
  u32 node = 0;
  char host[sizeof(Header::host)] = "";
  Block block{};
  Slices slices{};
  Threads threads{};
  Cost cost{};
};

struct Digest {
  Totals totals;
  std::vector<Row> rows;  // the longest first; their sites are those of `sites`
  std::vector<Row> rest;  // of all other rows of a function
  std::vector<Site> sites;
  std::vector<NumberedPeer> peers;  // those that it waited for longest first
};

// Of the node's ranks that have begun, which may be at work.
std::vector<Digest> digests_of(const NodeFile& file);

// Adds the row to that of its function, which is made where there is none.
void sum_by_function(std::vector<Row>& sums, const Row& row);

// As bytes for another process of the same job.
void append(std::vector<std::byte>& bytes, const Digest& digest);
std::vector<Digest> read_digests(const std::vector<std::byte>& bytes);

}  // namespace leadline::explain
