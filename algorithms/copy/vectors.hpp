// Copies in vectors of a register's width. Macros, since a compiler turns vectors into good code
// only in a function that names their instruction set itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/copy/copy.hpp"

// What only x86-64 has, and whether this processor has it: no other does.
#if defined(__x86_64__)
#define X86_ONLY(value) value
#define X86_HAS(feature) (__builtin_cpu_supports(feature) != 0)
#else
#define X86_ONLY(value) nullptr
#define X86_HAS(feature) false
#endif

namespace leadline {

// Routines that others are made of; those of x86-64 are defined there alone.
CopyRoutine::Function copy_avx2;
CopyRoutine::Function copy_non_temporal;

// What is copied without a loop.
inline constexpr std::size_t kShortCopyBytes = 128;

// `count` words from each end, which may overlap: no byte needs a branch of its own.
template <typename Word, int count>
inline void copy_both_ends(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  Word words[2 * count];
  const std::size_t last = bytes - count * sizeof(Word);
  for (std::size_t k = 0; k < count; ++k) {
    __builtin_memcpy(&words[k], from + k * sizeof(Word), sizeof(Word));
    __builtin_memcpy(&words[count + k], from + last + k * sizeof(Word), sizeof(Word));
  }
  for (std::size_t k = 0; k < count; ++k) {
    __builtin_memcpy(to + k * sizeof(Word), &words[k], sizeof(Word));
    __builtin_memcpy(to + last + k * sizeof(Word), &words[count + k], sizeof(Word));
  }
}

inline void copy_short(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  typedef std::uint64_t Vector __attribute__((vector_size(16)));
  if (bytes > 64) {
    copy_both_ends<Vector, 4>(to, from, bytes);
  } else if (bytes > 32) {
    copy_both_ends<Vector, 2>(to, from, bytes);
  } else if (bytes >= 16) {
    copy_both_ends<Vector, 1>(to, from, bytes);
  } else if (bytes >= 8) {
    copy_both_ends<std::uint64_t, 1>(to, from, bytes);
  } else if (bytes >= 4) {
    copy_both_ends<std::uint32_t, 1>(to, from, bytes);
  } else if (bytes >= 2) {
    copy_both_ends<std::uint16_t, 1>(to, from, bytes);
  } else if (bytes == 1) {
    *to = *from;
  }
}

// Keeps the compiler from making a call of memcpy of a loop.
#define KEEP_LOOP asm volatile("" ::: "memory")

#define NOTHING_AHEAD(address) static_cast<void>(0)

// A copy routine of that name for more than kShortCopyBytes in vectors of `width` bytes. The first
// and the last are stored where they lie, and those between them on their alignment: `count` at a
// time, each time after `ahead(address that is loaded)`.
#define DEFINE_VECTOR_COPY(name, attributes, width, count, ahead)                            \
  attributes void* name(void* to, const void* from, std::size_t bytes) {                     \
    typedef unsigned char Vector __attribute__((vector_size(width), aligned(1), may_alias)); \
    typedef unsigned char Aligned __attribute__((vector_size(width), may_alias));            \
    auto* out = static_cast<unsigned char*>(to);                                             \
    const auto* in = static_cast<const unsigned char*>(from);                                \
    if (bytes <= kShortCopyBytes) {                                                          \
      copy_short(out, in, bytes);                                                            \
      return to;                                                                             \
    }                                                                                        \
    *reinterpret_cast<Vector*>(out) = *reinterpret_cast<const Vector*>(in);                  \
    std::size_t i = (width) - reinterpret_cast<std::uintptr_t>(out) % (width);               \
    for (; i + (count) * (width) <= bytes; i += (count) * (width)) {                         \
      ahead(in + i);                                                                         \
      Vector vectors[count];                                                                 \
      for (std::size_t k = 0; k < (count); ++k) {                                            \
        vectors[k] = *reinterpret_cast<const Vector*>(in + i + k * (width));                 \
      }                                                                                      \
      for (std::size_t k = 0; k < (count); ++k) {                                            \
        *reinterpret_cast<Aligned*>(out + i + k * (width)) = vectors[k];                     \
      }                                                                                      \
      KEEP_LOOP;                                                                             \
    }                                                                                        \
    for (; i + (width) <= bytes; i += (width)) {                                             \
      *reinterpret_cast<Aligned*>(out + i) = *reinterpret_cast<const Vector*>(in + i);       \
      KEEP_LOOP;                                                                             \
    }                                                                                        \
    const std::size_t last = bytes - (width);                                                \
    *reinterpret_cast<Vector*>(out + last) = *reinterpret_cast<const Vector*>(in + last);    \
    return to;                                                                               \
  }

}  // namespace leadline
