// Copies and reductions of memory, in vector instructions of the processor that they run on.
#pragma once

#include <cstddef>

namespace leadline::node {

// out[i] = left[i] op right[i], in whole elements. `out` may be `left` or `right`, but not overlap
// them otherwise.
using Combine = void(const void* left, const void* right, void* out, std::size_t bytes);

// kByte: bits without a number; kBool: a byte that is 0 or 1.
enum class Number {
  kFloat,
  kDouble,
  kLongDouble,
  kFloatComplex,
  kDoubleComplex,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kByte,
  kBool,
};
enum class Operator {
  kSum,
  kProduct,
  kMaximum,
  kMinimum,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
};

// nullptr where the operation makes no sense for such numbers (MPI 4.1, section 6.9.2).
Combine* combine_kernel(Number number, Operator op);

void copy_bytes(const void* from, void* to, std::size_t bytes);
// The same for a target whose lines are in no cache of this core: they are asked for early.
void copy_bytes_ahead(const void* from, void* to, std::size_t bytes);

// Past the caches: `to` is a multiple of 64. Visible to other cores before anything stored later.
void stream_bytes(const void* from, void* to, std::size_t bytes);

}  // namespace leadline::node
