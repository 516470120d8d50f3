// How operands are reduced.
#pragma once

#include <cstddef>

#include "algorithms/node/kernels.hpp"

namespace leadline::node {

// An operation on elements of one type: a kernel, or where there is none, what another library
// does.
class Reducer {
 public:
  std::size_t element_bytes() const { return element_bytes_; }
  // out = left op right: the same result on every rank, wherever the operands lie. `out` may be
  // `left` or `right`.
  void combine(const void* left, const void* right, void* out, std::size_t bytes) {
    if (kernel_ != nullptr) {
      kernel_(left, right, out, bytes);
    } else {
      combine_without_kernel(left, right, out, bytes);
    }
  }

 protected:
  Reducer() = default;
  Reducer(Combine* kernel, std::size_t element_bytes)
      : kernel_(kernel), element_bytes_(element_bytes) {}
  ~Reducer() = default;

 private:
  virtual void combine_without_kernel(const void* left, const void* right, void* out,
                                      std::size_t bytes) = 0;

  Combine* kernel_ = nullptr;
  std::size_t element_bytes_ = 0;
};

}  // namespace leadline::node
