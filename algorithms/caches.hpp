// The caches of this machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>

namespace leadline {

struct Caches {
  std::size_t first = std::size_t{32} << 10;  // bytes of core 0's caches of data
  std::size_t second = std::size_t{1} << 20;
  std::size_t last = std::size_t{32} << 20;
};

// What the kernel says: sysconf counts other cores' caches in on some processors. Sizes that it
// does not tell are usual ones.
inline Caches read_caches() {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index";
  Caches caches;
  std::size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const auto open = [&](const char* name) {
      return std::ifstream(folder + std::to_string(index) + "/" + name);
    };
    std::size_t kibibytes = 0;
    int level = 0;
    std::string type;
    if (!(open("size") >> kibibytes) || !(open("level") >> level) || !(open("type") >> type)) {
      continue;
    }
    const std::size_t bytes = kibibytes << 10U;
    if (type == "Instruction") continue;
    if (level == 1) caches.first = bytes;
    if (level == 2) caches.second = bytes;
    largest = std::max(largest, bytes);
  }
  if (largest > 0) caches.last = largest;
  return caches;
}

}  // namespace leadline
