// What each persistent collective gives and takes. Buffers are those of MPI's arguments, and the
// same each time; sizes are in bytes.
#pragma once

#include <cstddef>
#include <utility>

#include "algorithms/copy/copy.hpp"
#include "algorithms/node/fold_in_order.hpp"
#include "algorithms/node/persistent.hpp"

namespace leadline::node {

class PersistentBarrier final : public Persistent {
 public:
  static std::size_t given() { return 0; }
  PersistentBarrier(Ranks ranks, Service service)
      : Persistent(std::move(ranks), given(), std::move(service)) {}

 private:
  void give(std::byte*) override {}
  int take() override { return 0; }
};

// Takes a block of each rank: `out` has one for each, `in` is this rank's, or where it belongs in
// `out`.
class PersistentAllgather final : public Persistent {
 public:
  static std::size_t given(std::size_t block) { return block; }
  PersistentAllgather(Ranks ranks, Service service, const std::byte* in, std::byte* out,
                      std::size_t block)
      : Persistent(std::move(ranks), given(block), std::move(service)),
        in_(in),
        out_(out),
        block_(block) {}

 private:
  void give(std::byte* to) override { copy_bytes(in_, to, block_); }
  int take() override {
    for (int from = 0; from < size(); ++from) {
      std::byte* const to = out_ + static_cast<std::size_t>(from) * block_;
      const std::byte* const block = from == rank() ? in_ : of(from);
      if (block != to) copy_bytes(block, to, block_);
    }
    return 0;
  }

  const std::byte* const in_;
  std::byte* const out_;
  const std::size_t block_;
};

// Has a block for each rank, of which a single other one needs no more than its own.
class PersistentOfBlocks : public Persistent {
 public:
  static std::size_t given(int size, std::size_t block) {
    return size == 2 ? block : static_cast<std::size_t>(size) * block;
  }

 protected:
  // In braces, the size is read before the rest is moved.
  PersistentOfBlocks(Ranks ranks, Service service, const std::byte* in, std::size_t block)
      : PersistentOfBlocks{ranks.size, std::move(ranks), std::move(service), in, block} {}

  std::size_t block_bytes() const { return block_; }
  const std::byte* own_block(int rank) const {
    return in_ + static_cast<std::size_t>(rank) * block_;
  }
  // What `from` has for this rank.
  const std::byte* block_of(int from) const {
    if (from == rank()) return own_block(from);
    return of(from) + (size() == 2 ? 0 : static_cast<std::size_t>(rank()) * block_);
  }

 private:
  PersistentOfBlocks(int size, Ranks ranks, Service service, const std::byte* in, std::size_t block)
      : Persistent(std::move(ranks), given(size, block), std::move(service)),
        in_(in),
        block_(block) {}

  void give(std::byte* to) override {
    if (size() == 2) {
      copy_bytes(own_block(1 - rank()), to, block_);
    } else {
      copy_bytes(in_, to, given(size(), block_));
    }
  }

  const std::byte* const in_;
  const std::size_t block_;
};

// `in` may be `out`.
class PersistentAlltoall final : public PersistentOfBlocks {
 public:
  PersistentAlltoall(Ranks ranks, Service service, const std::byte* in, std::byte* out,
                     std::size_t block)
      : PersistentOfBlocks(std::move(ranks), std::move(service), in, block), out_(out) {}

 private:
  int take() override {
    for (int from = 0; from < size(); ++from) {
      std::byte* const to = out_ + static_cast<std::size_t>(from) * block_bytes();
      if (block_of(from) != to) copy_bytes(block_of(from), to, block_bytes());
    }
    return 0;
  }

  std::byte* const out_;
};

// `Reduction` is a Reducer that has the `code()` of its first error. `in` may be `out`. On two
// ranks at least.
template <typename Reduction>
class PersistentAllreduce final : public Persistent {
 public:
  static std::size_t given(std::size_t bytes) { return bytes; }
  PersistentAllreduce(Ranks ranks, Service service, const Reduction& reduction, const std::byte* in,
                      std::byte* out, std::size_t bytes)
      : Persistent(std::move(ranks), given(bytes), std::move(service)),
        reduction_(reduction),
        in_(in),
        out_(out),
        bytes_(bytes) {}

 private:
  void give(std::byte* to) override { copy_bytes(in_, to, bytes_); }
  int take() override {
    // Of two, the result may take the place of either.
    const bool keeps_own = in_ != out_ || size() == 2;
    return fold_in_order(reduction_, size(), out_, bytes_,
                         [&](int from) { return from == rank() && keeps_own ? in_ : of(from); });
  }

  Reduction reduction_;
  const std::byte* const in_;
  std::byte* const out_;
  const std::size_t bytes_;
};

// `out` has one block, and may be the first one of `in`.
template <typename Reduction>
class PersistentReduceScatterBlock final : public PersistentOfBlocks {
 public:
  PersistentReduceScatterBlock(Ranks ranks, Service service, const Reduction& reduction,
                               const std::byte* in, std::byte* out, std::size_t block)
      : PersistentOfBlocks(std::move(ranks), std::move(service), in, block),
        reduction_(reduction),
        out_(out) {}

 private:
  int take() override {
    return fold_in_order(reduction_, size(), out_, block_bytes(),
                         [&](int from) { return block_of(from); });
  }

  Reduction reduction_;
  std::byte* const out_;
};

}  // namespace leadline::node
