// Copies in vectors of a register's width. Macros, since a compiler turns vectors into good code
// only in a function that names their instruction set itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/copy/copy.hpp"
#include "algorithms/processor.hpp"

// What only x86-64 has.
#if defined(__x86_64__)
#define X86_ONLY(value) value
#else
#define X86_ONLY(value) nullptr
#endif

namespace leadline {

// What others are made of; defined for x86-64 alone.
CopyRoutine::Function copy_non_temporal;

// Vectors of 16 bytes are enough for so much.
inline constexpr std::size_t kShortCopyBytes = 64;

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
  if (bytes > 32) {
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

// Unrolled: a step of a loop, or an end. As source and target do not overlap, a store may precede
// the next load; so all of it stays in registers.
#define COPY_VECTORS(Stored, offset, count)                           \
  _Pragma("GCC unroll 8") for (std::size_t k = 0; k < (count); ++k) { \
    *reinterpret_cast<Stored*>(out + (offset) + k * kWidth) =         \
        *reinterpret_cast<const Vector*>(in + (offset) + k * kWidth); \
    KEEP_LOOP;                                                        \
  }

#define COPY_BOTH_ENDS(count)                             \
  do {                                                    \
    COPY_VECTORS(Vector, 0, count)                        \
    COPY_VECTORS(Vector, bytes - (count) * kWidth, count) \
    return to;                                            \
  } while (false)

// A copy routine of that name in vectors of `width` bytes. Of much, the first and the last vector
// are stored where they lie, and those between them on their alignment: `count` at a time, each
// time after `ahead(address that is loaded)`.
#define DEFINE_VECTOR_COPY(name, attributes, width, count, ahead)                            \
  attributes void* name(void* to, const void* from, std::size_t bytes) {                     \
    typedef unsigned char Vector __attribute__((vector_size(width), aligned(1), may_alias)); \
    typedef unsigned char Aligned __attribute__((vector_size(width), may_alias));            \
    constexpr std::size_t kWidth = width;                                                    \
    constexpr std::size_t kStep = (count) * kWidth;                                          \
    auto* out = static_cast<unsigned char*>(to);                                             \
    const auto* in = static_cast<const unsigned char*>(from);                                \
    if (bytes <= kShortCopyBytes) {                                                          \
      copy_short(out, in, bytes);                                                            \
      return to;                                                                             \
    }                                                                                        \
    if (bytes <= 2 * kWidth) COPY_BOTH_ENDS(1);                                              \
    if (bytes <= 4 * kWidth) COPY_BOTH_ENDS(2);                                              \
    if (bytes <= 8 * kWidth) COPY_BOTH_ENDS(4);                                              \
    COPY_VECTORS(Vector, 0, 1)                                                               \
    std::size_t i = kWidth - reinterpret_cast<std::uintptr_t>(out) % kWidth;                 \
    for (; i + kStep <= bytes; i += kStep) {                                                 \
      ahead(in + i);                                                                         \
      COPY_VECTORS(Aligned, i, count)                                                        \
    }                                                                                        \
    for (; i + kWidth <= bytes; i += kWidth) {                                               \
      COPY_VECTORS(Aligned, i, 1)                                                            \
    }                                                                                        \
    COPY_VECTORS(Vector, bytes - kWidth, 1)                                                  \
    return to;                                                                               \
  }

}  // namespace leadline
