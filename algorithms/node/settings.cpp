#include "algorithms/node/settings.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace leadline::node {
namespace {

template <typename Number>
Number read(const char* name, Number otherwise, Number least, Number most) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  Number value{};
  const char* end = text + std::strlen(text);
  const auto [last, error] = std::from_chars(text, end, value);
  if (error == std::errc() && last == end && value >= least && value <= most) return value;
  std::fprintf(stderr, "leadline: %s is '%s', not used: it must be a number from %lld to %lld\n",
               name, text, static_cast<long long>(least), static_cast<long long>(most));
  return otherwise;
}

bool read_switch(const char* name, bool otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  if (std::strcmp(text, "on") == 0) return true;
  if (std::strcmp(text, "off") == 0) return false;
  std::fprintf(stderr, "leadline: %s is '%s', not used: it must be on or off\n", name, text);
  return otherwise;
}

Settings read_all() {
  Settings all;
  all.slot_bytes = read<std::size_t>("LEADLINE_SHARED_SLOT", all.slot_bytes, kLeastSlotBytes,
                                     std::size_t{1} << 24);
  all.slot_bytes = all.slot_bytes / 1024 * 1024;
  all.piece_bytes = read<std::size_t>("LEADLINE_SHARED_PIECE", all.piece_bytes, kLeastSlotBytes,
                                      std::size_t{1} << 30);
  all.flat_ranks = read("LEADLINE_SHARED_FLAT", all.flat_ranks, 1, 1 << 20);
  all.single_copy = read_switch("LEADLINE_SHARED_SINGLE_COPY", all.single_copy);
  all.domains = read("LEADLINE_SHARED_DOMAINS", all.domains, 0, 1 << 20);
  all.ranks_per_node = read("LEADLINE_RANKS_PER_NODE", all.ranks_per_node, 0, 1 << 30);
  return all;
}

}  // namespace

const Settings& settings() {
  static const Settings all = read_all();
  return all;
}

}  // namespace leadline::node
