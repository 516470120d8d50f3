#include "memory.hpp"

#include <algorithm>
#include <array>

namespace {

// Two numbers in each element, which may begin before, at, or after the address that MPI is given.
struct Layout {
  const char* name;
  std::array<MPI_Aint, 2> displacements;
  MPI_Aint lower_bound;
  MPI_Aint extent;
};

// Interleaved elements stay apart while there are fewer than a thousand.
constexpr Layout kLayouts[] = {
    {"gaps", {8, 24}, 0, 40},         {"data before the address", {-16, 0}, -24, 48},
    {"interleaved", {0, 8000}, 0, 8}, {"backwards", {0, 8}, 0, -16},
    {"without gaps", {0, 8}, 0, 16},  {"swapped", {8, 0}, 0, 16},
};
constexpr Layout kLayoutsToSend[] = {
    {"the same number twice", {0, 0}, 0, 8},
    {"the same element again", {0, 8}, 0, 0},
};

constexpr std::size_t kMargin = 64;

std::uint64_t scrambled(std::uint64_t word) {
  word ^= word >> 31;
  word *= 0x9e3779b97f4a7c15;
  word ^= word >> 29;
  word *= 0xbf58476d1ce4e5b9;
  return word ^ word >> 32;
}

Type committed(const Layout& layout) {
  MPI_Datatype numbers = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const std::array<int, 2> lengths{1, 1};
  const std::array<MPI_Datatype, 2> types{MPI_UINT64_T, MPI_UINT64_T};
  MPI_Type_create_struct(2, lengths.data(), layout.displacements.data(), types.data(), &numbers);
  MPI_Type_create_resized(numbers, layout.lower_bound, layout.extent, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&numbers);
  return {layout.name, type, 1};
}

std::vector<Type> make_types_of_two_numbers() {
  std::vector<Type> types{{"numbers", MPI_UINT64_T, 2}};
  for (const Layout& layout : kLayouts) types.push_back(committed(layout));
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 3, MPI_UINT64_T, &vector);
  MPI_Type_commit(&vector);
  types.push_back({"vector", vector, 1});
  return types;
}

std::vector<Type> make_types_to_send() {
  std::vector<Type> types = types_of_two_numbers();
  for (const Layout& layout : kLayoutsToSend) types.push_back(committed(layout));
  return types;
}

}  // namespace

const std::vector<Type>& types_of_two_numbers() {
  static const std::vector<Type> types = make_types_of_two_numbers();
  return types;
}

const std::vector<Type>& types_to_send_two_numbers() {
  static const std::vector<Type> types = make_types_to_send();
  return types;
}

const std::vector<Type>& predefined_types() {
  static const std::vector<Type> types{
      {"MPI_CHAR", MPI_CHAR, 1},
      {"MPI_SIGNED_CHAR", MPI_SIGNED_CHAR, 1},
      {"MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, 1},
      {"MPI_WCHAR", MPI_WCHAR, 1},
      {"MPI_SHORT", MPI_SHORT, 1},
      {"MPI_UNSIGNED_SHORT", MPI_UNSIGNED_SHORT, 1},
      {"MPI_INT", MPI_INT, 1},
      {"MPI_UNSIGNED", MPI_UNSIGNED, 1},
      {"MPI_LONG", MPI_LONG, 1},
      {"MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, 1},
      {"MPI_LONG_LONG", MPI_LONG_LONG, 1},
      {"MPI_UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG, 1},
      {"MPI_INT8_T", MPI_INT8_T, 1},
      {"MPI_UINT8_T", MPI_UINT8_T, 1},
      {"MPI_INT16_T", MPI_INT16_T, 1},
      {"MPI_UINT16_T", MPI_UINT16_T, 1},
      {"MPI_INT32_T", MPI_INT32_T, 1},
      {"MPI_UINT32_T", MPI_UINT32_T, 1},
      {"MPI_INT64_T", MPI_INT64_T, 1},
      {"MPI_UINT64_T", MPI_UINT64_T, 1},
      {"MPI_AINT", MPI_AINT, 1},
      {"MPI_OFFSET", MPI_OFFSET, 1},
      {"MPI_COUNT", MPI_COUNT, 1},
      {"MPI_FLOAT", MPI_FLOAT, 1},
      {"MPI_DOUBLE", MPI_DOUBLE, 1},
      {"MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, 1},
      {"MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, 1},
      {"MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, 1},
      {"MPI_C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX, 1},
      {"MPI_C_BOOL", MPI_C_BOOL, 1},
      {"MPI_FLOAT_INT", MPI_FLOAT_INT, 1},
      {"MPI_DOUBLE_INT", MPI_DOUBLE_INT, 1},
      {"MPI_LONG_INT", MPI_LONG_INT, 1},
      {"MPI_2INT", MPI_2INT, 1},
      {"MPI_SHORT_INT", MPI_SHORT_INT, 1},
      {"MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, 1},
      {"MPI_BYTE", MPI_BYTE, 1},
      {"MPI_PACKED", MPI_PACKED, 1},
  };
  return types;
}

Area::Area(const Type& type, int count, int blocks, std::uint64_t seed)
    : type_(type.handle), count_(count * type.multiple) {
  MPI_Aint lower_bound = 0;
  MPI_Aint true_extent = 0;
  MPI_Type_get_extent(type_, &lower_bound, &extent_);
  MPI_Type_get_true_extent(type_, &lower_bound, &true_extent);
  const MPI_Aint elements = MPI_Aint{count_} * blocks;
  const MPI_Aint last = std::max<MPI_Aint>(elements - 1, 0) * extent_;
  const MPI_Aint lowest = lower_bound + std::min<MPI_Aint>(0, last);
  const MPI_Aint highest = lower_bound + true_extent + std::max<MPI_Aint>(0, last);
  // A multiple of the alignment of any type.
  origin_ = kMargin + static_cast<std::size_t>(std::max<MPI_Aint>(0, -lowest)) / 64 * 64 + 64;
  bytes_.resize(origin_ + static_cast<std::size_t>(std::max<MPI_Aint>(0, highest)) + kMargin);
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    bytes_[i] = static_cast<std::byte>(scrambled(seed << 32 | i / 8) >> i % 8 * 8);
  }
}

void* Area::block(int index) {
  return static_cast<std::byte*>(address()) + MPI_Aint{index} * count_ * extent_;
}

void copy_block(Area& from, int from_block, Area& to, int to_block) {
  MPI_Sendrecv(from.block(from_block), from.count(), from.type(), 0, 0, to.block(to_block),
               to.count(), to.type(), 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
