#include "harness/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "algorithms/caches.hpp"

namespace leadline::probe {
namespace {

constexpr std::size_t kPage = 4096;

std::byte* allocate(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kPage, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 1, bytes);
  return memory;
}

}  // namespace

Slots::Slots(std::size_t bytes, bool cold)
    : stride_(std::max(kPage, (bytes + kPage - 1) / kPage * kPage)),
      count_(cold ? std::max<std::size_t>(2, 2 * read_caches().last / stride_ + 1) : 1) {}

Buffer::Buffer(std::size_t bytes, bool cold)
    : bytes_(bytes), slots_(bytes, cold), memory_(allocate(slots_.area_bytes()), &std::free) {}

}  // namespace leadline::probe
