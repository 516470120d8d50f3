// Four vectors of 64 bytes at a time.
#include "algorithms/copy/copy.hpp"
#include "algorithms/copy/vectors.hpp"

namespace leadline {

#if defined(__x86_64__)
DEFINE_VECTOR_COPY(copy_avx512, __attribute__((target("avx512f"))), 64, 4, NOTHING_AHEAD)
#endif

namespace {

const CopyRoutine avx512{"avx512", "loads and stores of 64 bytes", X86_ONLY(copy_avx512), "AVX-512",
                         [] { return processor.avx512f; }};

}  // namespace
}  // namespace leadline
