// Vectors of 32 bytes, with what is loaded half a KiB later asked for ahead.
#include "algorithms/copy/copy.hpp"
#include "algorithms/copy/vectors.hpp"

#define PREFETCH_FOUR_LINES(address)                   \
  do {                                                 \
    for (std::size_t line = 0; line < 4; ++line) {     \
      __builtin_prefetch((address) + 512 + 64 * line); \
    }                                                  \
  } while (false)

namespace leadline {

#if defined(__x86_64__)
DEFINE_VECTOR_COPY(copy_prefetch, __attribute__((target("avx2"))), 32, 8, PREFETCH_FOUR_LINES)
#endif

namespace {

const CopyRoutine prefetch{"prefetch", "as avx2, with software prefetch 512 bytes ahead",
                           X86_ONLY(copy_prefetch), "AVX2", [] { return processor.avx2; }};

}  // namespace
}  // namespace leadline
