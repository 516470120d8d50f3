#include "runtime/engine/heap.hpp"

#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace leadline::runtime {
#ifdef __GLIBC__
namespace {

bool is_told() {
  for (const char* const name : {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_",
                                 "MALLOC_MMAP_MAX_", "MALLOC_TOP_PAD_"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  return tunables != nullptr && std::strstr(tunables, "glibc.malloc.") != nullptr;
}

}  // namespace

void keep_freed_memory() {
  constexpr int kMiB = 1 << 20;
  if (is_told()) return;
  // More than 32 MiB is refused.
  mallopt(M_MMAP_THRESHOLD, 32 * kMiB);
  mallopt(M_TRIM_THRESHOLD, 64 * kMiB);
}
#else
void keep_freed_memory() {}
#endif

}  // namespace leadline::runtime
