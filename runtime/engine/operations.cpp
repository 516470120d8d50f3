#include "runtime/engine/operations.hpp"

#include <initializer_list>

namespace leadline::runtime {
namespace {

// MPI 4.1, section 6.9.2.
enum class Sort { kNone, kInteger, kAddress, kFloating, kComplex, kLogical, kByte, kPair };

template <typename Handle>
bool is_one_of(Handle handle, std::initializer_list<Handle> handles) {
  for (const Handle known : handles) {
    if (handle == known) return true;
  }
  return false;
}

Sort sort_of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return Sort::kNone;
  if (is_one_of(type, {MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_LONG_DOUBLE})) {
    return Sort::kFloating;
  }
  if (is_one_of(type, {MPI_INT, MPI_LONG, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_UNSIGNED,
                       MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_SIGNED_CHAR,
                       MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T,
                       MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T})) {
    return Sort::kInteger;
  }
  // No logical operations on these.
  if (is_one_of(type, {MPI_INTEGER, MPI_AINT, MPI_OFFSET, MPI_COUNT})) return Sort::kAddress;
  if (is_one_of(type, {MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
                       MPI_C_LONG_DOUBLE_COMPLEX})) {
    return Sort::kComplex;
  }
  if (is_one_of(type, {MPI_LOGICAL, MPI_C_BOOL})) return Sort::kLogical;
  if (type == MPI_BYTE) return Sort::kByte;
  if (is_one_of(type, {MPI_2INT, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_FLOAT_INT,
                       MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT})) {
    return Sort::kPair;
  }
  return Sort::kNone;
}

bool is_defined(Sort sort, MPI_Op op) {
  const bool whole = sort == Sort::kInteger || sort == Sort::kAddress;
  if (is_one_of(op, {MPI_SUM, MPI_PROD})) {
    return whole || sort == Sort::kFloating || sort == Sort::kComplex;
  }
  if (is_one_of(op, {MPI_MAX, MPI_MIN})) return whole || sort == Sort::kFloating;
  if (is_one_of(op, {MPI_LAND, MPI_LOR, MPI_LXOR})) {
    return sort == Sort::kInteger || sort == Sort::kLogical;
  }
  if (is_one_of(op, {MPI_BAND, MPI_BOR, MPI_BXOR})) return whole || sort == Sort::kByte;
  return is_one_of(op, {MPI_MAXLOC, MPI_MINLOC}) && sort == Sort::kPair;
}

bool has_floating_point(Sort sort, MPI_Datatype type) {
  return sort == Sort::kFloating || sort == Sort::kComplex ||
         is_one_of(type, {MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_FLOAT_INT, MPI_DOUBLE_INT,
                          MPI_LONG_DOUBLE_INT});
}

}  // namespace

bool is_predefined(MPI_Op op) {
  return is_one_of(op, {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR,
                        MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP});
}

Order order_of(MPI_Datatype type, MPI_Op op) {
  const Sort sort = sort_of(type);
  if (!is_defined(sort, op)) return Order::kUnknown;
  return has_floating_point(sort, type) ? Order::kMatters : Order::kFree;
}

}  // namespace leadline::runtime
