// The reductions of all types and operations (OpenSHMEM 1.4, section 9.9.7).
#include <complex>
#include <type_traits>

#include "algorithms/shared/kernels.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/shmem/entries.hpp"
#include "runtime/shmem/movement.hpp"

namespace leadline {
namespace {

struct And {
  template <typename T>
  static T of(T left, T right) {
    return left & right;
  }
};
struct Or {
  template <typename T>
  static T of(T left, T right) {
    return left | right;
  }
};
struct Xor {
  template <typename T>
  static T of(T left, T right) {
    return left ^ right;
  }
};
struct Max {
  static constexpr Operator kOperator = Operator::kMaximum;
  template <typename T>
  static T of(T left, T right) {
    return left > right ? left : right;
  }
};
struct Min {
  static constexpr Operator kOperator = Operator::kMinimum;
  template <typename T>
  static T of(T left, T right) {
    return left < right ? left : right;
  }
};
struct Sum {
  static constexpr Operator kOperator = Operator::kSum;
  template <typename T>
  static T of(T left, T right) {
    return left + right;
  }
};
struct Prod {
  static constexpr Operator kOperator = Operator::kProduct;
  template <typename T>
  static T of(T left, T right) {
    return left * right;
  }
};

template <typename T>
constexpr bool is_exact = std::is_integral_v<T>;

// Unsigned where it is an integer, so that sums and products wrap around; not for comparisons.
template <typename T, typename Op>
void combine(const void* left, const void* right, void* out, std::size_t bytes) {
  const auto* const a = static_cast<const T*>(left);
  const auto* const b = static_cast<const T*>(right);
  auto* const c = static_cast<T*>(out);
  const std::size_t count = bytes / sizeof(T);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) c[i] = static_cast<T>(Op::of(a[i], b[i]));
}

template <typename T, typename Op>
Combine* kernel() {
  constexpr bool has_kernels = requires { Op::kOperator; };
  if constexpr (has_kernels && std::is_same_v<T, float>) {
    return combine_kernel(Number::kFloat, Op::kOperator);
  } else if constexpr (has_kernels && std::is_same_v<T, double>) {
    return combine_kernel(Number::kDouble, Op::kOperator);
  } else if constexpr (has_kernels && is_exact<T> && sizeof(T) == 4) {
    return combine_kernel(Number::kInt32, Op::kOperator);
  } else if constexpr (has_kernels && is_exact<T> && sizeof(T) == 8) {
    return combine_kernel(Number::kInt64, Op::kOperator);
  } else {
    return combine<T, Op>;
  }
}

// Has a kernel always.
class Operation final : public Reducer {
 public:
  Operation(Combine* kernel, std::size_t element_bytes) : Reducer(kernel, element_bytes) {}

 private:
  void combine_without_kernel(const void*, const void*, void*, std::size_t) override {}
};

template <typename T, typename Op>
struct ToAll {
  using Function = void(T*, const T*, int, int, int, int, T*, long*);
  static void call(T* target, const T* source, int count, int start, int log_stride, int size,
                   T* work, long* sync) {
    Group* const group = Group::of({.start = start, .log_stride = log_stride, .size = size});
    const std::size_t bytes = count > 0 ? static_cast<std::size_t>(count) * sizeof(T) : 0;
    // The order of operands may show in these.
    const bool rounds = !is_exact<T> && (std::is_same_v<Op, Sum> || std::is_same_v<Op, Prod>);
    if (group == nullptr || bytes == 0 || !group->takes(Collective::kReduce, bytes) ||
        (rounds && runtime_settings().reproducible) ||
        (source != target && overlap(source, bytes, target, bytes))) {
      return library_function<ToAll>(target, source, count, start, log_stride, size, work, sync);
    }
    static Combine* const kernel_of_type = kernel<T, Op>();
    Operation operation(kernel_of_type, sizeof(T));
    group_allreduce(*group, operation, source, target, bytes);
  }
};

#define INTERCEPT(type, T, op, Op) \
  const Interception type##_##op = intercept<ToAll<T, Op>>("shmem_" #type "_" #op "_to_all");
#define INTERCEPT_ARITHMETIC(type, T) \
  INTERCEPT(type, T, sum, Sum)        \
  INTERCEPT(type, T, prod, Prod)
#define INTERCEPT_ORDERED(type, T) \
  INTERCEPT_ARITHMETIC(type, T)    \
  INTERCEPT(type, T, max, Max)     \
  INTERCEPT(type, T, min, Min)
#define INTERCEPT_INTEGER(type, T) \
  INTERCEPT_ORDERED(type, T)       \
  INTERCEPT(type, T, and, And)     \
  INTERCEPT(type, T, or, Or)       \
  INTERCEPT(type, T, xor, Xor)

INTERCEPT_INTEGER(short, short)
INTERCEPT_INTEGER(int, int)
INTERCEPT_INTEGER(long, long)
INTERCEPT_INTEGER(longlong, long long)
INTERCEPT_ORDERED(float, float)
INTERCEPT_ORDERED(double, double)
INTERCEPT_ORDERED(longdouble, long double)
INTERCEPT_ARITHMETIC(complexf, std::complex<float>)
INTERCEPT_ARITHMETIC(complexd, std::complex<double>)

}  // namespace
}  // namespace leadline
