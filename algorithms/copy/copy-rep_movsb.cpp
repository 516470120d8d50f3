// The processor's own instruction for it.
#include "algorithms/copy/copy.hpp"

namespace leadline {
namespace {

constexpr char kSummary[] = "the x86 instruction rep movsb";
constexpr char kNeeds[] = "an x86-64 processor";

#if defined(__x86_64__)
void* copy_rep_movsb(void* to, const void* from, std::size_t bytes) {
  void* out = to;
  asm volatile("rep movsb" : "+D"(out), "+S"(from), "+c"(bytes) : : "memory");
  return to;
}

const CopyRoutine rep_movsb{"rep_movsb", kSummary, copy_rep_movsb, kNeeds};
#else
const CopyRoutine rep_movsb{"rep_movsb", kSummary, nullptr, kNeeds};
#endif

}  // namespace
}  // namespace leadline
