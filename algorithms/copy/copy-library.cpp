// The C library's memcpy.
#include <cstring>

#include "algorithms/copy/copy.hpp"

namespace leadline {
namespace {

const CopyRoutine library{"library", "the C library's memcpy", std::memcpy};

}  // namespace
}  // namespace leadline
