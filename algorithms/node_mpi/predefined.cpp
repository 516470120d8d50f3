#include "algorithms/node_mpi/predefined.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

namespace leadline::node {
namespace {

struct Predefined {
  MPI_Datatype type;
  std::size_t bytes;
  std::optional<Number> number;  // own kernels exist for it
};

std::optional<Number> no_number(int) { return std::nullopt; }
std::optional<Number> signed_number(int bytes) {
  switch (bytes) {
    case 1:
      return Number::kInt8;
    case 2:
      return Number::kInt16;
    case 4:
      return Number::kInt32;
    case 8:
      return Number::kInt64;
    default:
      return std::nullopt;
  }
}
std::optional<Number> unsigned_number(int bytes) {
  switch (bytes) {
    case 1:
      return Number::kUint8;
    case 2:
      return Number::kUint16;
    case 4:
      return Number::kUint32;
    case 8:
      return Number::kUint64;
    default:
      return std::nullopt;
  }
}
std::optional<Number> real_number(int bytes) {
  if (bytes == sizeof(float)) return Number::kFloat;
  if (bytes == sizeof(double)) return Number::kDouble;
  return bytes == sizeof(long double) ? std::optional(Number::kLongDouble) : std::nullopt;
}
std::optional<Number> complex_number(int bytes) {
  if (bytes == 2 * sizeof(float)) return Number::kFloatComplex;
  return bytes == 2 * sizeof(double) ? std::optional(Number::kDoubleComplex) : std::nullopt;
}
std::optional<Number> byte_number(int) { return Number::kByte; }
std::optional<Number> bool_number(int bytes) {
  return bytes == 1 ? std::optional(Number::kBool) : std::nullopt;
}

void add(std::vector<Predefined>& all, MPI_Datatype type, std::optional<Number> (*number)(int)) {
  if (type == MPI_DATATYPE_NULL) return;
  int size = 0;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS || size <= 0) return;
  if (PMPI_Type_get_extent(type, &lower_bound, &extent) != MPI_SUCCESS) return;
  if (lower_bound != 0 || extent != size) return;
  // Slots are cut into whole elements.
  if (!std::has_single_bit(static_cast<unsigned>(size))) return;
  all.push_back({.type = type, .bytes = static_cast<std::size_t>(size), .number = number(size)});
}

// The most usual ones first.
std::vector<Predefined> find_predefined() {
  std::vector<Predefined> all;
  for (const MPI_Datatype type :
       {MPI_DOUBLE, MPI_FLOAT, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_LONG_DOUBLE}) {
    add(all, type, real_number);
  }
  for (const MPI_Datatype type :
       {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INTEGER, MPI_INT32_T, MPI_INT64_T, MPI_AINT,
        MPI_OFFSET, MPI_COUNT, MPI_SHORT, MPI_SIGNED_CHAR, MPI_INT8_T, MPI_INT16_T}) {
    add(all, type, signed_number);
  }
  for (const MPI_Datatype type :
       {MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UNSIGNED_CHAR,
        MPI_UNSIGNED_SHORT, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T}) {
    add(all, type, unsigned_number);
  }
  for (const MPI_Datatype type :
       {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX}) {
    add(all, type, complex_number);
  }
  add(all, MPI_BYTE, byte_number);
  add(all, MPI_C_BOOL, bool_number);
  for (const MPI_Datatype type :
       {MPI_CHAR, MPI_WCHAR, MPI_C_LONG_DOUBLE_COMPLEX, MPI_2INT, MPI_LOGICAL, MPI_CHARACTER,
        MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION}) {
    add(all, type, no_number);
  }
  return all;
}

const Predefined* find_type(MPI_Datatype type) {
  static const std::vector<Predefined> all = find_predefined();
  for (const Predefined& predefined : all) {
    if (predefined.type == type) return &predefined;
  }
  return nullptr;
}

struct PredefinedOp {
  MPI_Op op;
  std::optional<Operator> kernel;
};

const PredefinedOp* find_op(MPI_Op op) {
  static const PredefinedOp all[] = {
      {MPI_SUM, Operator::kSum},         {MPI_MAX, Operator::kMaximum},
      {MPI_MIN, Operator::kMinimum},     {MPI_PROD, Operator::kProduct},
      {MPI_LAND, Operator::kLogicalAnd}, {MPI_LOR, Operator::kLogicalOr},
      {MPI_LXOR, Operator::kLogicalXor}, {MPI_BAND, Operator::kBitwiseAnd},
      {MPI_BOR, Operator::kBitwiseOr},   {MPI_BXOR, Operator::kBitwiseXor},
      {MPI_MAXLOC, std::nullopt},        {MPI_MINLOC, std::nullopt}};
  for (const PredefinedOp& known : all) {
    if (known.op == op) return &known;
  }
  return nullptr;
}

}  // namespace

std::size_t dense_predefined_size(MPI_Datatype type) {
  const Predefined* predefined = find_type(type);
  return predefined == nullptr ? 0 : predefined->bytes;
}

bool Reduction::describe(MPI_Datatype type, MPI_Op op, Reduction& reduction) {
  // Most calls are like the one before.
  struct Last {
    bool known = false;
    MPI_Datatype type{};
    MPI_Op op{};
    Combine* kernel = nullptr;
    std::size_t element_bytes = 0;
  };
  static thread_local Last last;
  if (!last.known || last.type != type || last.op != op) {
    const Predefined* known_type = find_type(type);
    const PredefinedOp* known_op = find_op(op);
    if (known_type == nullptr || known_op == nullptr) return false;
    const bool has_kernel = known_type->number.has_value() && known_op->kernel.has_value();
    last = {.known = true,
            .type = type,
            .op = op,
            .kernel = has_kernel ? combine_kernel(*known_type->number, *known_op->kernel) : nullptr,
            .element_bytes = known_type->bytes};
  }
  reduction = Reduction(last.kernel, last.element_bytes, type, op);
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

}  // namespace leadline::node
