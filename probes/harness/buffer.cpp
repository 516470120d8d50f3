#include "harness/buffer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace leadline {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t last_level_cache_bytes() {
  long largest = 0;
  for (const int name : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE}) {
    largest = std::max(largest, sysconf(name));
  }
  return largest > 0 ? static_cast<std::size_t>(largest) : std::size_t{32} << 20;
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
