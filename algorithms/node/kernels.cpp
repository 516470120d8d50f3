#include "algorithms/node/kernels.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "algorithms/processor.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace leadline::node {
namespace {

struct Sum {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Product {
  template <typename T>
  T operator()(T a, T b) const {
    // Short unsigned numbers would become signed ones, which must not overflow.
    using Wide = decltype(a * 1U);
    return static_cast<T>(static_cast<Wide>(a) * b);
  }
};
struct Maximum {
  template <typename T>
  T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};
struct Minimum {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct LogicalAnd {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>((a != 0) & (b != 0));
  }
};
struct LogicalOr {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>((a != 0) | (b != 0));
  }
};
struct LogicalXor {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>((a != 0) ^ (b != 0));
  }
};
struct BitwiseAnd {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOr {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXor {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

// Where out is one of the operands, each element is still read before it is written.
#if defined(__clang__)
// Of complex and of long numbers it makes no vectors, which is no mistake.
#pragma clang diagnostic ignored "-Wpass-failed"
#define ELEMENTS_DO_NOT_OVERLAP _Pragma("clang loop vectorize(assume_safety)")
#else
#define ELEMENTS_DO_NOT_OVERLAP _Pragma("GCC ivdep")
#endif

template <typename T, typename Operation>
void combine(const void* left, const void* right, void* out, std::size_t bytes) {
  by_widest_vectors([=]() LEADLINE_INLINED {
    const auto* a = static_cast<const T*>(left);
    const auto* b = static_cast<const T*>(right);
    auto* c = static_cast<T*>(out);
    const Operation operation{};
    const std::size_t count = bytes / sizeof(T);
    ELEMENTS_DO_NOT_OVERLAP for (std::size_t i = 0; i < count; ++i) c[i] = operation(a[i], b[i]);
  });
}

Combine* of_bits(Operator op) {
  using Bits = std::uint8_t;
  switch (op) {
    case Operator::kBitwiseAnd:
      return combine<Bits, BitwiseAnd>;
    case Operator::kBitwiseOr:
      return combine<Bits, BitwiseOr>;
    case Operator::kBitwiseXor:
      return combine<Bits, BitwiseXor>;
    default:
      return nullptr;
  }
}

template <typename T>
Combine* of_truths(Operator op) {
  switch (op) {
    case Operator::kLogicalAnd:
      return combine<T, LogicalAnd>;
    case Operator::kLogicalOr:
      return combine<T, LogicalOr>;
    case Operator::kLogicalXor:
      return combine<T, LogicalXor>;
    default:
      return nullptr;
  }
}

template <typename T>
Combine* of_reals(Operator op) {
  switch (op) {
    case Operator::kSum:
      return combine<T, Sum>;
    case Operator::kProduct:
      return combine<T, Product>;
    case Operator::kMaximum:
      return combine<T, Maximum>;
    case Operator::kMinimum:
      return combine<T, Minimum>;
    default:
      return nullptr;
  }
}

template <typename T>
Combine* of_integers(Operator op) {
  // Unsigned, so that sums and products wrap around.
  using Unsigned = std::make_unsigned_t<T>;
  switch (op) {
    case Operator::kSum:
    case Operator::kProduct:
      return of_reals<Unsigned>(op);
    case Operator::kMaximum:
    case Operator::kMinimum:
      return of_reals<T>(op);
    case Operator::kLogicalAnd:
    case Operator::kLogicalOr:
    case Operator::kLogicalXor:
      return of_truths<Unsigned>(op);
    default:
      return of_bits(op);
  }
}

template <typename Real, typename Complex>
Combine* of_complex(Operator op) {
  if (op == Operator::kSum) return combine<Real, Sum>;
  return op == Operator::kProduct ? combine<Complex, Product> : nullptr;
}

// A hint: what is stored there next.
inline void want_to_store(const void* line) {
#if defined(__x86_64__)
  // The compiler's own hint asks for a copy that may be shared, unless told of the processor.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const unsigned char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kBlockBytes = 4 * kLineBytes;
using Line = unsigned char __attribute__((vector_size(kLineBytes)));

// `before` gets the address of each block before it is stored.
template <typename Before>
void copy_in_blocks(const void* from, void* to, std::size_t bytes, const Before& before) {
  by_widest_vectors([=]() LEADLINE_INLINED {
    const auto* source = static_cast<const unsigned char*>(from);
    auto* target = static_cast<unsigned char*>(to);
    std::size_t left = bytes;
    for (; left >= kBlockBytes; left -= kBlockBytes) {
      before(target);
      Line first;
      Line second;
      Line third;
      Line fourth;
      std::memcpy(&first, source, kLineBytes);
      std::memcpy(&second, source + kLineBytes, kLineBytes);
      std::memcpy(&third, source + 2 * kLineBytes, kLineBytes);
      std::memcpy(&fourth, source + 3 * kLineBytes, kLineBytes);
      std::memcpy(target, &first, kLineBytes);
      std::memcpy(target + kLineBytes, &second, kLineBytes);
      std::memcpy(target + 2 * kLineBytes, &third, kLineBytes);
      std::memcpy(target + 3 * kLineBytes, &fourth, kLineBytes);
      source += kBlockBytes;
      target += kBlockBytes;
    }
    std::memcpy(target, source, left);
  });
}

}  // namespace

Combine* combine_kernel(Number number, Operator op) {
  switch (number) {
    case Number::kFloat:
      return of_reals<float>(op);
    case Number::kDouble:
      return of_reals<double>(op);
    case Number::kLongDouble:
      return of_reals<long double>(op);
    case Number::kFloatComplex:
      return of_complex<float, __complex__ float>(op);
    case Number::kDoubleComplex:
      return of_complex<double, __complex__ double>(op);
    case Number::kInt8:
      return of_integers<std::int8_t>(op);
    case Number::kInt16:
      return of_integers<std::int16_t>(op);
    case Number::kInt32:
      return of_integers<std::int32_t>(op);
    case Number::kInt64:
      return of_integers<std::int64_t>(op);
    case Number::kUint8:
      return of_integers<std::uint8_t>(op);
    case Number::kUint16:
      return of_integers<std::uint16_t>(op);
    case Number::kUint32:
      return of_integers<std::uint32_t>(op);
    case Number::kUint64:
      return of_integers<std::uint64_t>(op);
    case Number::kByte:
      return of_bits(op);
    case Number::kBool:
      return of_truths<std::uint8_t>(op);
  }
  return nullptr;
}

void copy_bytes(const void* from, void* to, std::size_t bytes) {
  copy_in_blocks(from, to, bytes, [](const unsigned char*) LEADLINE_INLINED {});
}

void copy_bytes_ahead(const void* from, void* to, std::size_t bytes) {
  copy_in_blocks(from, to, bytes, [](const unsigned char* target) LEADLINE_INLINED {
    constexpr std::size_t kAhead = 2048;
    for (std::size_t i = 0; i < kBlockBytes; i += kLineBytes) want_to_store(target + kAhead + i);
  });
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

}  // namespace leadline::node
