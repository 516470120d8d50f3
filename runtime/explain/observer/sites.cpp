// Places of the program's from which it calls MPI, each named once, when it calls first.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/explain/observer/observer.hpp"
#include "runtime/explain/observer/site.hpp"

namespace leadline::explain {
namespace {

struct Known {
  std::atomic<const void*> address{nullptr};
  u32 number = 0;
};

constexpr int kPlaceBits = 11;
constexpr u32 kPlaces = u32{1} << kPlaceBits;
static_assert(kPlaces >= 2 * kSites);
Known known[kPlaces];
std::atomic_flag sites_guard;

template <std::size_t kRoom>
void put(char (&to)[kRoom], const std::string& text) {
  // Of what is too long the end tells more.
  const std::string end = text.size() < kRoom ? text : text.substr(text.size() - kRoom + 1);
  std::memcpy(to, end.c_str(), end.size() + 1);
}

std::string without_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void name(Site& site, const void* address) {
  const SiteName found = name_site(site_in_program(address));
  if (found.function.size() >= sizeof site.text) {
    put(site.text, found.function.substr(0, sizeof site.text - 1));
  } else if (!found.function.empty()) {
    put(site.text, found.function);
  } else {
    put(site.text, without_folder(found.object) + "+" + found.address);
  }
  const bool fits = found.object.size() < sizeof site.object;
  put(site.object, fits ? found.object : without_folder(found.object));
  site.address = std::strtoull(found.address.c_str(), nullptr, 16);
}

u32 add(const void* address, u32 at) {
  const Guard guard(sites_guard);
  for (;; at = (at + 1) % kPlaces) {
    const void* const there = known[at].address.load(std::memory_order_acquire);
    if (there == address) return known[at].number;
    if (there == nullptr) break;
  }
  Block& block = *observer.block;
  if (block.sites_used == kSites) {
    ++block.lost_sites;
    return 0;
  }
  const u32 number = block.sites_used;
  name(observer.sites[number], address);
  std::atomic_ref(block.sites_used).store(number + 1, std::memory_order_release);
  known[at].number = number;
  known[at].address.store(address, std::memory_order_release);
  return number;
}

}  // namespace

u32 site_number(const void* address) {
  const u64 hash = reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15U;
  for (u32 at = hash >> (64 - kPlaceBits);; at = (at + 1) % kPlaces) {
    const void* const there = known[at].address.load(std::memory_order_acquire);
    if (there == address) return known[at].number;
    if (there == nullptr) return add(address, at);
  }
}

}  // namespace leadline::explain
