#include "algorithms/shared/predefined.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

namespace leadline {
namespace {

struct Predefined {
  MPI_Datatype type;
  std::size_t bytes;
  bool has_number;  // own kernels exist for it
  Number number;
};

void add(std::vector<Predefined>& all, MPI_Datatype type, const Number* number_of_4_bytes,
         const Number* number_of_8_bytes) {
  if (type == MPI_DATATYPE_NULL) return;
  int size = 0;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0) return;
  if (PMPI_Type_get_extent(type, &lower_bound, &extent) != MPI_SUCCESS) return;
  if (lower_bound != 0 || extent != size) return;
  // Slots are cut into whole elements.
  if (!std::has_single_bit(static_cast<unsigned>(size))) return;
  const Number* number = size == 4 ? number_of_4_bytes : size == 8 ? number_of_8_bytes : nullptr;
  all.push_back({.type = type,
                 .bytes = static_cast<std::size_t>(size),
                 .has_number = number != nullptr,
                 .number = number != nullptr ? *number : Number::kFloat});
}

std::vector<Predefined> find_predefined() {
  static constexpr Number kFloat = Number::kFloat;
  static constexpr Number kDouble = Number::kDouble;
  static constexpr Number kInt32 = Number::kInt32;
  static constexpr Number kInt64 = Number::kInt64;
  std::vector<Predefined> all;
  for (const MPI_Datatype type : {MPI_DOUBLE, MPI_FLOAT, MPI_REAL, MPI_DOUBLE_PRECISION}) {
    add(all, type, &kFloat, &kDouble);
  }
  for (const MPI_Datatype type : {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT32_T, MPI_INT64_T,
                                  MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_INTEGER}) {
    add(all, type, &kInt32, &kInt64);
  }
  for (const MPI_Datatype type : {MPI_BYTE,
                                  MPI_CHAR,
                                  MPI_SIGNED_CHAR,
                                  MPI_UNSIGNED_CHAR,
                                  MPI_SHORT,
                                  MPI_UNSIGNED_SHORT,
                                  MPI_UNSIGNED,
                                  MPI_UNSIGNED_LONG,
                                  MPI_UNSIGNED_LONG_LONG,
                                  MPI_WCHAR,
                                  MPI_INT8_T,
                                  MPI_INT16_T,
                                  MPI_UINT8_T,
                                  MPI_UINT16_T,
                                  MPI_UINT32_T,
                                  MPI_UINT64_T,
                                  MPI_C_BOOL,
                                  MPI_LONG_DOUBLE,
                                  MPI_C_FLOAT_COMPLEX,
                                  MPI_C_DOUBLE_COMPLEX,
                                  MPI_C_LONG_DOUBLE_COMPLEX,
                                  MPI_2INT,
                                  MPI_LOGICAL,
                                  MPI_CHARACTER,
                                  MPI_COMPLEX,
                                  MPI_DOUBLE_COMPLEX,
                                  MPI_2INTEGER,
                                  MPI_2REAL,
                                  MPI_2DOUBLE_PRECISION}) {
    add(all, type, nullptr, nullptr);
  }
  return all;
}

const Predefined* find(MPI_Datatype type) {
  static const std::vector<Predefined> all = find_predefined();
  for (const Predefined& predefined : all) {
    if (predefined.type == type) return &predefined;
  }
  return nullptr;
}

bool is_predefined(MPI_Op op) {
  for (const MPI_Op known : {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR,
                             MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC}) {
    if (op == known) return true;
  }
  return false;
}

Combine* kernel_of(const Predefined& type, MPI_Op op) {
  if (!type.has_number) return nullptr;
  if (op == MPI_SUM) return combine_kernel(type.number, Operator::kSum);
  if (op == MPI_PROD) return combine_kernel(type.number, Operator::kProduct);
  if (op == MPI_MAX) return combine_kernel(type.number, Operator::kMaximum);
  if (op == MPI_MIN) return combine_kernel(type.number, Operator::kMinimum);
  return nullptr;
}

}  // namespace

std::size_t dense_predefined_size(MPI_Datatype type) {
  const Predefined* predefined = find(type);
  return predefined == nullptr ? 0 : predefined->bytes;
}

bool Reduction::describe(MPI_Datatype type, MPI_Op op, Reduction& reduction) {
  const Predefined* predefined = find(type);
  if (predefined == nullptr || !is_predefined(op)) return false;
  reduction = Reduction(kernel_of(*predefined, op), predefined->bytes, type, op);
  return true;
}

// The library computes in place. Were that the caller's `out`, left and right would have to change
// places on some ranks and not on others, and with them, for instance, which of two NaNs wins.
void Reduction::combine_without_kernel(const void* left, const void* right, void* out,
                                       std::size_t bytes) {
  alignas(64) std::byte block[4096];
  const std::size_t most = sizeof block / element_bytes() * element_bytes();
  for (std::size_t at = 0; at < bytes; at += most) {
    const std::size_t now = std::min(most, bytes - at);
    std::memcpy(block, static_cast<const std::byte*>(right) + at, now);
    const int code = PMPI_Reduce_local(static_cast<const std::byte*>(left) + at, block,
                                       static_cast<int>(now / element_bytes()), type_, op_);
    if (code_ == MPI_SUCCESS) code_ = code;
    std::memcpy(static_cast<std::byte*>(out) + at, block, now);
  }
}

}  // namespace leadline
