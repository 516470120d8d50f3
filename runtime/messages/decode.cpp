#include "runtime/messages/decode.hpp"

#include <array>
#include <utility>
#include <vector>

#include "algorithms/node_mpi/predefined.hpp"

namespace leadline::runtime {
namespace {

struct Envelope {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

// False for a datatype that was made with counts of MPI_Count, of which the older functions must
// not be asked.
bool read(MPI_Datatype type, Envelope& envelope) {
#if MPI_VERSION >= 4
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large = 0;
  MPI_Count types = 0;
  if (PMPI_Type_get_envelope_c(type, &integers, &addresses, &large, &types, &envelope.combiner) !=
          MPI_SUCCESS ||
      large != 0) {
    return false;
  }
  envelope.integers = static_cast<int>(integers);
  envelope.addresses = static_cast<int>(addresses);
  envelope.types = static_cast<int>(types);
  return true;
#else
  return PMPI_Type_get_envelope(type, &envelope.integers, &envelope.addresses, &envelope.types,
                                &envelope.combiner) == MPI_SUCCESS;
#endif
}

// What Fortran's MPI_Type_create_f90_real and its like return is not freed either.
bool is_librarys(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

class Contents {
 public:
  Contents(MPI_Datatype type, const Envelope& envelope)
      : integers(static_cast<std::size_t>(envelope.integers) + 1),
        addresses(static_cast<std::size_t>(envelope.addresses) + 1),
        types(static_cast<std::size_t>(envelope.types), MPI_DATATYPE_NULL) {
    known = PMPI_Type_get_contents(type, envelope.integers, envelope.addresses, envelope.types,
                                   integers.data(), addresses.data(), types.data()) == MPI_SUCCESS;
  }
  ~Contents() {
    for (MPI_Datatype& type : types) {
      Envelope envelope;
      if (type == MPI_DATATYPE_NULL || !read(type, envelope)) continue;
      if (!is_librarys(envelope.combiner)) PMPI_Type_free(&type);
    }
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  bool known = false;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

class Decoder {
 public:
  // Appends the blocks of `type`; false where it is left to the library.
  bool add(MPI_Datatype type, Blocks& blocks, int depth = 0) {
    constexpr int kDeepest = 16;
    Envelope envelope;
    if (depth > kDeepest || !read(type, envelope)) return false;
    if (envelope.combiner == MPI_COMBINER_NAMED) return add_element(type, blocks);
    if (is_librarys(envelope.combiner)) return false;
    constexpr int kLongest = 1 << 18;
    if (envelope.integers > kLongest) return false;
    const Contents contents(type, envelope);
    if (!contents.known) return false;
    return envelope.combiner == MPI_COMBINER_STRUCT ? add_struct(contents, blocks, depth)
                                                    : add_parts(envelope, contents, blocks, depth);
  }

  MPI_Datatype element = MPI_DATATYPE_NULL;
  std::size_t element_bytes = 0;

 private:
  struct Part {
    Blocks blocks;
    MPI_Aint extent = 0;
  };

  bool add_element(MPI_Datatype type, Blocks& blocks) {
    const std::size_t bytes = node::dense_predefined_size(type);
    if (bytes == 0 || (element != MPI_DATATYPE_NULL && element != type)) return false;
    element = type;
    element_bytes = bytes;
    return blocks.add({.offset = 0, .bytes = bytes});
  }

  bool read_part(MPI_Datatype type, int depth, Part& part) {
    MPI_Aint least = 0;
    return add(type, part.blocks, depth + 1) &&
           PMPI_Type_get_extent(type, &least, &part.extent) == MPI_SUCCESS;
  }

  static bool add_at(const Part& part, MPI_Aint offset, int times, Blocks& blocks) {
    return times >= 0 &&
           blocks.add(part.blocks, offset, static_cast<std::size_t>(times), part.extent);
  }

  bool add_struct(const Contents& contents, Blocks& blocks, int depth) {
    const int* const integers = contents.integers.data();
    for (int i = 0; i < integers[0]; ++i) {
      const auto place = static_cast<std::size_t>(i);
      // Says nothing about data, and may have a type that is none.
      if (integers[1 + i] == 0) continue;
      Part part;
      if (!read_part(contents.types[place], depth, part)) return false;
      if (!add_at(part, contents.addresses[place], integers[1 + i], blocks)) return false;
    }
    return true;
  }

  bool add_parts(const Envelope& envelope, const Contents& contents, Blocks& blocks, int depth) {
    Part part;
    if (contents.types.size() != 1 || !read_part(contents.types[0], depth, part)) return false;
    const int* const integers = contents.integers.data();
    const MPI_Aint* const addresses = contents.addresses.data();
    const auto add_each = [&](int times, const auto& length, const auto& offset) {
      for (int i = 0; i < times; ++i) {
        if (!add_at(part, offset(i), length(i), blocks)) return false;
      }
      return true;
    };
    const auto second = [&](int) { return integers[1]; };
    const auto next = [&](int i) { return integers[1 + i]; };
    switch (envelope.combiner) {
      case MPI_COMBINER_DUP:
      case MPI_COMBINER_RESIZED:
        return add_at(part, 0, 1, blocks);
      case MPI_COMBINER_CONTIGUOUS:
        return add_at(part, 0, integers[0], blocks);
      case MPI_COMBINER_VECTOR:
        return add_each(integers[0], second,
                        [&](int i) { return MPI_Aint{i} * integers[2] * part.extent; });
      case MPI_COMBINER_HVECTOR:
        return add_each(integers[0], second, [&](int i) { return MPI_Aint{i} * addresses[0]; });
      case MPI_COMBINER_INDEXED:
        return add_each(integers[0], next,
                        [&](int i) { return integers[1 + integers[0] + i] * part.extent; });
      case MPI_COMBINER_HINDEXED:
        return add_each(integers[0], next, [&](int i) { return addresses[i]; });
      case MPI_COMBINER_INDEXED_BLOCK:
        return add_each(integers[0], second, [&](int i) { return integers[2 + i] * part.extent; });
      case MPI_COMBINER_HINDEXED_BLOCK:
        return add_each(integers[0], second, [&](int i) { return addresses[i]; });
      case MPI_COMBINER_SUBARRAY:
        return add_subarray(integers, part, blocks);
      default:
        return false;
    }
  }

  // The dimension that varies fastest is made first.
  static bool add_subarray(const int* integers, const Part& part, Blocks& blocks) {
    const int dimensions = integers[0];
    const int* const sizes = integers + 1;
    const int* const parts = sizes + dimensions;
    const int* const starts = parts + dimensions;
    const bool last_first = starts[dimensions] == MPI_ORDER_C;
    Part whole = part;
    for (int i = 0; i < dimensions; ++i) {
      const int d = last_first ? dimensions - 1 - i : i;
      Part wider;
      if (!add_at(whole, starts[d] * whole.extent, parts[d], wider.blocks)) return false;
      wider.extent = sizes[d] * whole.extent;
      whole = std::move(wider);
    }
    return add_at(whole, 0, 1, blocks);
  }
};

}  // namespace

bool is_named(MPI_Datatype type) {
  Envelope envelope;
  return read(type, envelope) && is_librarys(envelope.combiner);
}

Decoded decode(MPI_Datatype type) {
  Decoder decoder;
  Blocks blocks;
  MPI_Aint least = 0;
  MPI_Aint extent = 0;
  if (!decoder.add(type, blocks) || PMPI_Type_get_extent(type, &least, &extent) != MPI_SUCCESS ||
      decoder.element == MPI_DATATYPE_NULL) {
    return {};
  }
  return {.element = decoder.element,
          .element_bytes = decoder.element_bytes,
          .layout = std::make_unique<const Layout>(blocks, extent)};
}

}  // namespace leadline::runtime
