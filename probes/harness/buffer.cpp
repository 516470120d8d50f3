#include "harness/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

namespace leadline {
namespace {

constexpr std::size_t kPage = 4096;

// What the kernel says of core 0's largest cache: sysconf counts other cores' caches in on some
// processors.
std::size_t last_level_cache_bytes() {
  std::size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                       "/size");
    std::size_t kibibytes = 0;
    if (file >> kibibytes) largest = std::max(largest, kibibytes << 10);
  }
  return largest > 0 ? largest : std::size_t{32} << 20;
}

std::byte* allocate(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kPage, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 1, bytes);
  return memory;
}

}  // namespace

Slots::Slots(std::size_t bytes, bool cold)
    : stride_(std::max(kPage, (bytes + kPage - 1) / kPage * kPage)),
      count_(cold ? std::max<std::size_t>(2, 2 * last_level_cache_bytes() / stride_ + 1) : 1) {}

Buffer::Buffer(std::size_t bytes, bool cold)
    : bytes_(bytes), slots_(bytes, cold), memory_(allocate(slots_.area_bytes()), &std::free) {}

}  // namespace leadline
