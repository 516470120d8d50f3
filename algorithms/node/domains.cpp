#include "algorithms/node/domains.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>

namespace leadline::node {

std::vector<int> numbers_in_list(const std::string& list) {
  std::vector<int> numbers;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at < end) {
    int first = 0;
    const auto [after, error] = std::from_chars(at, end, first);
    if (error != std::errc()) break;
    int last = first;
    at = after;
    if (at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    for (int number = first; number <= last; ++number) numbers.push_back(number);
    if (at == end || *at != ',') break;
    ++at;
  }
  return numbers;
}

int domain_of_this_process() {
#if defined(__linux__)
  const std::string folder = "/sys/devices/system/node/";
  const auto read = [&](const std::string& name) {
    std::ifstream file(folder + name);
    std::string list;
    std::getline(file, list);
    return numbers_in_list(list);
  };
  const std::vector<int> domains = read("online");
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (domains.size() < 2 || sched_getaffinity(0, sizeof mine, &mine) != 0) return -1;
  for (const int domain : domains) {
    int here = 0;
    for (const int cpu : read("node" + std::to_string(domain) + "/cpulist")) {
      here += cpu < CPU_SETSIZE && CPU_ISSET(static_cast<std::size_t>(cpu), &mine) ? 1 : 0;
    }
    if (here > 0) return here == CPU_COUNT(&mine) ? domain : -1;
  }
#endif
  return -1;
}

std::vector<int> first_ranks_of_domains(const std::vector<int>& domains) {
  std::vector<int> first_ranks;
  bool all_first = true;
  bool all_in_one = true;
  for (std::size_t rank = 0; rank < domains.size(); ++rank) {
    if (domains[rank] < 0) return {};
    const auto first = std::find(domains.begin(), domains.end(), domains[rank]) - domains.begin();
    all_first = all_first && first == static_cast<std::ptrdiff_t>(rank);
    all_in_one = all_in_one && first == 0;
    first_ranks.push_back(static_cast<int>(first));
  }
  if (all_first || all_in_one) first_ranks.clear();
  return first_ranks;
}

}  // namespace leadline::node
