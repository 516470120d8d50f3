#include "runtime/engine/ranges.hpp"

#include <string>
#include <utility>

namespace leadline::runtime {

SizeRanges::SizeRanges(std::vector<SizeRange> ranges) : ranges_(std::move(ranges)) {
  for (std::size_t bits = 0; bits < first_.size(); ++bits) {
    const std::size_t least = bits == 0 ? 0 : std::size_t{1} << (bits - 1);
    std::size_t i = 0;
    while (ranges_[i].to_bytes < least) ++i;
    first_[bits] = i;
  }
}

std::vector<KnownCollective>& KnownCollective::all() {
  static std::vector<KnownCollective> known;
  return known;
}

std::size_t KnownCollective::add(const KnownCollective& collective) {
  all().push_back(collective);
  return all().size() - 1;
}

std::string unknown_in(const Rule& rule) {
  if (rule.collective.starts_with("shmem_")) return {};  // OpenSHMEM's
  for (const KnownCollective& collective : KnownCollective::all()) {
    if (collective.name != rule.collective) continue;
    if (rule.algorithm == "library" || collective.find(rule.algorithm) != nullptr) return {};
    return "algorithm \"" + rule.algorithm + "\" of " + rule.collective;
  }
  return "collective \"" + rule.collective + "\"";
}

}  // namespace leadline::runtime
