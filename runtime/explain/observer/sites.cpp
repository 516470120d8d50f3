// Places of the program's from which it calls MPI, each named once, when it calls first.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "runtime/explain/observer/observer.hpp"
#include "runtime/explain/observer/python.hpp"
#include "runtime/explain/observer/site.hpp"

namespace leadline::explain {
namespace {

// The key is an address in the program, or a hash of it and of frames of Python's. Python may put
// another code where one was: its calls then count as those of a line that is gone.
struct Known {
  std::atomic<u64> key{0};
  u32 number = 0;
};
constexpr u32 kFurther = ~u32{0};  // in place of a number: the frame that called tells

constexpr u64 kSpread = 0x9E3779B97F4A7C15U;
constexpr int kPlaceBits = 11;
constexpr u32 kPlaces = u32{1} << kPlaceBits;
static_assert(kPlaces >= 4 * kSites);
Known known[kPlaces];
u32 known_used = 0;
std::atomic_flag sites_guard;

template <std::size_t kRoom>
void put(char (&to)[kRoom], const std::string& text) {
  // Of what is too long the end tells more.
  const std::string end = text.size() < kRoom ? text : text.substr(text.size() - kRoom + 1);
  std::memcpy(to, end.c_str(), end.size() + 1);
}

std::string without_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void name(Site& site, const SiteName& found) {
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

u32 add(u64 key, u32 at, const void* address, const PythonFrame* frame) {
  const Guard guard(sites_guard);
  for (;; at = (at + 1) % kPlaces) {
    const u64 there = known[at].key.load(std::memory_order_acquire);
    if (there == key) return known[at].number;
    if (there == 0) break;
  }
  Block& block = *observer.block;
  if (block.sites_used == kSites || known_used == kPlaces / 2) {
    ++block.lost_sites;
    return 0;
  }
  u32 number = kFurther;
  if (frame != nullptr ? !is_passed_over(*frame, address) : !leads_to_python(address)) {
    number = block.sites_used;
    const std::optional<SiteName> line = frame != nullptr ? name_frame(*frame) : std::nullopt;
    name(observer.sites[number], line ? *line : name_site(site_in_program(address)));
    std::atomic_ref(block.sites_used).store(number + 1, std::memory_order_release);
  }
  ++known_used;
  known[at].number = number;
  known[at].key.store(key, std::memory_order_release);
  return number;
}

u32 find(u64 key, const void* address, const PythonFrame* frame) {
  for (u32 at = key * kSpread >> (64 - kPlaceBits);; at = (at + 1) % kPlaces) {
    const u64 there = known[at].key.load(std::memory_order_acquire);
    if (there == key) return known[at].number;
    if (there == 0) return add(key, at, address, frame);
  }
}

}  // namespace

u32 site_number(const void* address) {
  u64 key = reinterpret_cast<std::uintptr_t>(address);
  u32 number = find(key, address, nullptr);
  if (number != kFurther) return number;
  for (PythonFrame frame = innermost_frame();; frame = caller_of(frame)) {
    key = (key + reinterpret_cast<std::uintptr_t>(frame.code)) * kSpread;
    key = (key ^ key >> 32U) + frame.instruction * kSpread;
    number = find(key, address, &frame);
    if (number != kFurther) return number;
  }
}

}  // namespace leadline::explain
