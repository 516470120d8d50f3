// Memory for the arrays of an application.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace leadline::probe {

// So many numbers, all zero and touched, from the beginning of a cache line on; in large pages
// where there are enough of them and the system has some: multigrid, which passes over its arrays
// row by row, is an eighth faster with them.
template <typename Real>
class LargeArray {
 public:
  explicit LargeArray(std::size_t size)
      : values_(static_cast<Real*>(::operator new[](size * sizeof(Real), alignment(size))),
                Free{alignment(size)}) {
#ifdef __linux__
    // Without it everything works all the same, so its failure is of no account.
    if (size * sizeof(Real) >= kPage) madvise(values_.get(), size * sizeof(Real), MADV_HUGEPAGE);
#endif
    std::fill_n(values_.get(), size, Real{0});
  }
  Real* data() { return values_.get(); }
  const Real* data() const { return values_.get(); }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr std::size_t kLine = 64;
  static std::align_val_t alignment(std::size_t size) {
    return std::align_val_t{size * sizeof(Real) >= kPage ? kPage : kLine};
  }
  struct Free {
    std::align_val_t alignment;
    void operator()(Real* values) const { ::operator delete[](values, alignment); }
  };
  std::unique_ptr<Real[], Free> values_;
};

}  // namespace leadline::probe
