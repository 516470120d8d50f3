// Eight vectors of 32 bytes at a time.
#include "algorithms/copy/copy.hpp"
#include "algorithms/copy/vectors.hpp"

namespace leadline {

#if defined(__x86_64__)
DEFINE_VECTOR_COPY(copy_avx2, __attribute__((target("avx2"))), 32, 8, NOTHING_AHEAD)
#endif

namespace {

const CopyRoutine avx2{"avx2", "loads and stores of 32 bytes", X86_ONLY(copy_avx2), "AVX2",
                       [] { return processor.avx2; }};

}  // namespace
}  // namespace leadline
