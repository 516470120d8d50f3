// What the functions of OpenSHMEM that leadline replaces have in common. They return nothing.
#pragma once

#include <cstddef>

#include "runtime/engine/interception.hpp"
#include "runtime/shmem/group.hpp"

namespace leadline {

inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto* const first = static_cast<const std::byte*>(a);
  const auto* const second = static_cast<const std::byte*>(b);
  return first < second + b_bytes && second < first + a_bytes;
}

// The library's own function of each entry. `Entry` has its `Function`.
template <typename Entry>
inline typename Entry::Function* library_function = nullptr;

template <typename Entry>
Interception intercept(const char* name) {
  return Interception(name, &Entry::call, library_function<Entry>);
}

}  // namespace leadline
