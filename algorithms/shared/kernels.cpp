#include "algorithms/shared/kernels.hpp"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// One version for each width of vectors; the loader takes the widest that the processor has.
#if defined(__x86_64__) && defined(__GLIBC__)
#define FOR_EACH_VECTOR_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_VECTOR_WIDTH
#endif

namespace leadline {
namespace {

// Unsigned, so that sums and products wrap around.
using Bits32 = std::uint32_t;
using Bits64 = std::uint64_t;

// `ivdep`: where out is one of the operands, each element is still read before it is written.
#define DEFINE_COMBINE(name, Type, expression)                                      \
  FOR_EACH_VECTOR_WIDTH void name(const void* left, const void* right, void* out,   \
                                  std::size_t count) {                              \
    const auto* a = static_cast<const Type*>(left);                                 \
    const auto* b = static_cast<const Type*>(right);                                \
    auto* c = static_cast<Type*>(out);                                              \
    _Pragma("GCC ivdep") for (std::size_t i = 0; i < count; ++i) c[i] = expression; \
  }

DEFINE_COMBINE(sum_float, float, a[i] + b[i])
DEFINE_COMBINE(sum_double, double, a[i] + b[i])
DEFINE_COMBINE(sum_int32, Bits32, a[i] + b[i])
DEFINE_COMBINE(sum_int64, Bits64, a[i] + b[i])
DEFINE_COMBINE(product_float, float, a[i] * b[i])
DEFINE_COMBINE(product_double, double, a[i] * b[i])
DEFINE_COMBINE(product_int32, Bits32, a[i] * b[i])
DEFINE_COMBINE(product_int64, Bits64, a[i] * b[i])
DEFINE_COMBINE(maximum_float, float, a[i] > b[i] ? a[i] : b[i])
DEFINE_COMBINE(maximum_double, double, a[i] > b[i] ? a[i] : b[i])
DEFINE_COMBINE(maximum_int32, std::int32_t, a[i] > b[i] ? a[i] : b[i])
DEFINE_COMBINE(maximum_int64, std::int64_t, a[i] > b[i] ? a[i] : b[i])
DEFINE_COMBINE(minimum_float, float, a[i] < b[i] ? a[i] : b[i])
DEFINE_COMBINE(minimum_double, double, a[i] < b[i] ? a[i] : b[i])
DEFINE_COMBINE(minimum_int32, std::int32_t, a[i] < b[i] ? a[i] : b[i])
DEFINE_COMBINE(minimum_int64, std::int64_t, a[i] < b[i] ? a[i] : b[i])

// A hint: what is stored there next.
inline void want_to_store(const void* line) {
#if defined(__x86_64__)
  // The compiler's own hint asks for a copy that may be shared, unless told of the processor.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const unsigned char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace

Combine* combine_kernel(Number number, Operator op) {
  // By operator, then by number.
  static constexpr Combine* kKernels[4][4] = {
      {sum_float, sum_double, sum_int32, sum_int64},
      {product_float, product_double, product_int32, product_int64},
      {maximum_float, maximum_double, maximum_int32, maximum_int64},
      {minimum_float, minimum_double, minimum_int32, minimum_int64},
  };
  return kKernels[static_cast<int>(op)][static_cast<int>(number)];
}

FOR_EACH_VECTOR_WIDTH void copy_bytes(const void* from, void* to, std::size_t bytes) {
  using Vector = unsigned char __attribute__((vector_size(64), aligned(1), may_alias));
  const auto* source = static_cast<const unsigned char*>(from);
  auto* target = static_cast<unsigned char*>(to);
  for (; bytes >= 4 * sizeof(Vector); bytes -= 4 * sizeof(Vector)) {
    const auto* vectors = reinterpret_cast<const Vector*>(source);
    auto* copies = reinterpret_cast<Vector*>(target);
    const Vector first = vectors[0];
    const Vector second = vectors[1];
    const Vector third = vectors[2];
    const Vector fourth = vectors[3];
    copies[0] = first;
    copies[1] = second;
    copies[2] = third;
    copies[3] = fourth;
    source += 4 * sizeof(Vector);
    target += 4 * sizeof(Vector);
  }
  std::memcpy(target, source, bytes);
}

FOR_EACH_VECTOR_WIDTH void copy_bytes_ahead(const void* from, void* to, std::size_t bytes) {
  constexpr std::size_t kAhead = 2048;
  using Vector = unsigned char __attribute__((vector_size(64), aligned(1), may_alias));
  const auto* source = static_cast<const unsigned char*>(from);
  auto* target = static_cast<unsigned char*>(to);
  for (; bytes >= 4 * sizeof(Vector); bytes -= 4 * sizeof(Vector)) {
    for (std::size_t i = 0; i < 4; ++i) want_to_store(target + kAhead + i * sizeof(Vector));
    const auto* vectors = reinterpret_cast<const Vector*>(source);
    auto* copies = reinterpret_cast<Vector*>(target);
    const Vector first = vectors[0];
    const Vector second = vectors[1];
    const Vector third = vectors[2];
    const Vector fourth = vectors[3];
    copies[0] = first;
    copies[1] = second;
    copies[2] = third;
    copies[3] = fourth;
    source += 4 * sizeof(Vector);
    target += 4 * sizeof(Vector);
  }
  std::memcpy(target, source, bytes);
}

void stream_bytes(const void* from, void* to, std::size_t bytes) {
#if defined(__SSE2__)
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  for (; bytes >= 64; bytes -= 64, source += 64, target += 64) {
    const auto* vectors = reinterpret_cast<const __m128i*>(source);
    auto* copies = reinterpret_cast<__m128i*>(target);
    const __m128i first = _mm_loadu_si128(vectors);
    const __m128i second = _mm_loadu_si128(vectors + 1);
    const __m128i third = _mm_loadu_si128(vectors + 2);
    const __m128i fourth = _mm_loadu_si128(vectors + 3);
    _mm_stream_si128(copies, first);
    _mm_stream_si128(copies + 1, second);
    _mm_stream_si128(copies + 2, third);
    _mm_stream_si128(copies + 3, fourth);
  }
  std::memcpy(target, source, bytes);
  _mm_sfence();
#else
  copy_bytes(from, to, bytes);
#endif
}

}  // namespace leadline
