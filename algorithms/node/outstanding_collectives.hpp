// What each non-blocking collective gives and takes. Buffers are those of MPI's arguments; sizes
// are in bytes.
#pragma once

#include <cstddef>

#include "algorithms/copy/copy.hpp"
#include "algorithms/node/fold_in_order.hpp"
#include "algorithms/node/outstanding.hpp"

namespace leadline::node {

class OutstandingBarrier final : public Outstanding::Operation {
 public:
  OutstandingBarrier() : Operation(0) {}

 private:
  void give(std::byte*) override {}
  int take() override { return 0; }
};

// `Reduction` is a Reducer that has the `code()` of its first error. `in` may be `out`. On two
// ranks at least.
template <typename Reduction>
class OutstandingAllreduce final : public Outstanding::Operation {
 public:
  OutstandingAllreduce(const Reduction& reduction, const void* in, void* out, std::size_t bytes)
      : Operation(bytes), reduction_(reduction), in_(in), out_(out), bytes_(bytes) {}

 private:
  void give(std::byte* to) override { copy_bytes(in_, to, bytes_); }
  int take() override {
    return fold_in_order(reduction_, size(), static_cast<std::byte*>(out_), bytes_,
                         [&](int from) { return of(from); });
  }

  Reduction reduction_;
  const void* const in_;
  void* const out_;
  const std::size_t bytes_;
};

// `in` has a block for each rank; `out` has one, and may be the first one of `in`.
template <typename Reduction>
class OutstandingReduceScatterBlock final : public Outstanding::Operation {
 public:
  OutstandingReduceScatterBlock(const Reduction& reduction, const void* in, void* out,
                                std::size_t block, int ranks)
      : Operation(block * static_cast<std::size_t>(ranks)),
        reduction_(reduction),
        in_(in),
        out_(out),
        block_(block) {}

 private:
  void give(std::byte* to) override {
    copy_bytes(in_, to, block_ * static_cast<std::size_t>(size()));
  }
  int take() override {
    const std::size_t own = static_cast<std::size_t>(rank()) * block_;
    return fold_in_order(reduction_, size(), static_cast<std::byte*>(out_), block_,
                         [&](int from) { return of(from) + own; });
  }

  Reduction reduction_;
  const void* const in_;
  void* const out_;
  const std::size_t block_;
};

}  // namespace leadline::node
