// The reductions of all types and operations (OpenSHMEM 1.4, section 9.9.7).
#include <complex>
#include <type_traits>

#include "algorithms/node/kernels.hpp"
#include "runtime/engine/settings.hpp"
#include "runtime/shmem/movement.hpp"
#include "runtime/shmem/replacement.hpp"

namespace leadline::runtime {
namespace {

const Collective collective{"shmem_reduce"};

template <typename T>
constexpr bool is_exact = std::is_integral_v<T>;

template <typename T>
constexpr node::Number number() {
  if (std::is_same_v<T, float>) return node::Number::kFloat;
  if (std::is_same_v<T, double>) return node::Number::kDouble;
  if (std::is_same_v<T, long double>) return node::Number::kLongDouble;
  if (std::is_same_v<T, std::complex<float>>) return node::Number::kFloatComplex;
  if (std::is_same_v<T, std::complex<double>>) return node::Number::kDoubleComplex;
  return sizeof(T) == 2   ? node::Number::kInt16
         : sizeof(T) == 4 ? node::Number::kInt32
                          : node::Number::kInt64;
}

// Has a kernel always.
class Operation final : public node::Reducer {
 public:
  Operation(node::Combine* kernel, std::size_t element_bytes)
      : node::Reducer(kernel, element_bytes) {}

 private:
  void combine_without_kernel(const void*, const void*, void*, std::size_t) override {}
};

template <typename T, node::Operator op>
struct ToAll {
  using Function = void(T*, const T*, int, int, int, int, T*, long*);
  static Decision decide(T* target, const T* source, int count, int start, int log_stride, int size,
                         T*, long*) {
    const ActiveSet set{.start = start, .log_stride = log_stride, .size = size};
    const std::size_t bytes = count > 0 ? static_cast<std::size_t>(count) * sizeof(T) : 0;
    Decision decision = decide_on_data(collective, set, bytes);
    // The order of operands may show in these.
    const bool rounds =
        !is_exact<T> && (op == node::Operator::kSum || op == node::Operator::kProduct);
    if (rounds && runtime_settings().reproducible)
      decision.decline_reason = "LEADLINE_REPRODUCIBLE";
    if (source != target && overlap(source, bytes, target, bytes)) {
      decision.decline_reason = "source and target overlap";
    }
    if (bytes == 0) decision.decline_reason = "no data";
    return decision;
  }
  static void carry_out(const Decision& decision, T* target, const T* source, int, int, int, int,
                        T*, long*) {
    static node::Combine* const kernel = node::combine_kernel(number<T>(), op);
    Operation operation(kernel, sizeof(T));
    group_allreduce(*decision.group, operation, source, target, decision.bytes);
  }
};

#define INTERCEPT(type, T, name, op)                                                     \
  const Replacement<ToAll<T, node::Operator::op>> type##_##name{"shmem_" #type "_" #name \
                                                                "_to_"                   \
                                                                "all"};
#define INTERCEPT_ARITHMETIC(type, T) \
  INTERCEPT(type, T, sum, kSum)       \
  INTERCEPT(type, T, prod, kProduct)
#define INTERCEPT_ORDERED(type, T)  \
  INTERCEPT_ARITHMETIC(type, T)     \
  INTERCEPT(type, T, max, kMaximum) \
  INTERCEPT(type, T, min, kMinimum)
#define INTERCEPT_INTEGER(type, T)     \
  INTERCEPT_ORDERED(type, T)           \
  INTERCEPT(type, T, and, kBitwiseAnd) \
  INTERCEPT(type, T, or, kBitwiseOr)   \
  INTERCEPT(type, T, xor, kBitwiseXor)

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
}  // namespace leadline::runtime
