// Eight vectors of 16 bytes at a time, which compilers load and store in pairs.
#include "algorithms/copy/copy.hpp"
#include "algorithms/copy/vectors.hpp"

namespace leadline {

#if defined(__ARM_NEON)
DEFINE_VECTOR_COPY(copy_neon, , 16, 8, NOTHING_AHEAD)
#define COPY_NEON copy_neon
#else
#define COPY_NEON nullptr
#endif

namespace {

const CopyRoutine neon{"neon", "loads and stores of 16 bytes on Arm", COPY_NEON,
                       "an Arm processor"};

}  // namespace
}  // namespace leadline
