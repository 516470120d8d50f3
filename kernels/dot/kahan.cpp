// A number that keeps what was rounded away, summed as any other (Kahan, CACM 8(1), 1965).
#include <numeric>

#include "compensated.h"
#include "dot.h"

namespace {

class KahanSum {
 public:
  KahanSum operator+(double term) const {
    const double corrected = term - excess_;
    const double next = sum_ + corrected;
    return {next, (next - sum_) - corrected};
  }
  double value() const { return sum_; }
  KahanSum() = default;

 private:
  KahanSum(double sum, double excess) : sum_(sum), excess_(excess) {}
  double sum_ = 0.0;
  double excess_ = 0.0;
};

}  // namespace

int leadline_dot_class() { return 2; }

double leadline_dot(int64_t n, const double* x, const double* y) {
  return leadline_checked(std::inner_product(x, x + n, y, KahanSum()).value(), n, x, y);
}
