#include "runtime/engine/weigh.hpp"

#include <climits>

#include "algorithms/node_mpi/predefined.hpp"
#include "runtime/engine/memo.hpp"
#include "runtime/engine/operations.hpp"
#include "runtime/engine/settings.hpp"

namespace leadline::runtime {
namespace {

// Handles of MPI's own types and operations stand for the same as long as the program runs.
struct DenseType {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t bytes = 0;
};

// As dense_predefined_size.
std::size_t dense_size(MPI_Datatype type) {
  static thread_local Memo<DenseType> memo;
  DenseType& known = memo.place(type);
  if (known.type == type) return known.bytes;
  const std::size_t bytes = node::dense_predefined_size(type);
  if (bytes != 0) known = {.type = type, .bytes = bytes};
  return bytes;
}

// Bytes of elements that are not MPI's own. Of a handle that is none, nothing may be asked without
// a communicator: the error would end the program, or reach another handler than the library's own
// complaint about this call.
Weight weigh_derived(int count, MPI_Datatype type, MPI_Comm comm) {
  if (type == MPI_DATATYPE_NULL) return {.doubt = "no datatype"};
  int bytes = 0;
  if (PMPI_Pack_size(1, type, comm, &bytes) != MPI_SUCCESS) return {.doubt = "datatype"};
  if (PMPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes < 0) return {.doubt = "datatype"};
  return {.bytes = static_cast<std::size_t>(bytes) * static_cast<std::size_t>(count)};
}

const void* block_at(const void* blocks, MPI_Aint elements, MPI_Datatype type) {
  MPI_Aint lower_bound = 0;
  auto extent = static_cast<MPI_Aint>(dense_size(type));
  if (extent == 0 && PMPI_Type_get_extent(type, &lower_bound, &extent) != MPI_SUCCESS) {
    return blocks;
  }
  return static_cast<const std::byte*>(blocks) + elements * extent;
}

struct Operation {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  const char* doubt = nullptr;
};

constexpr const char* kOfTheProgram = "operation or datatype";

const char* doubt_about(MPI_Datatype type, MPI_Op op) {
  node::Reduction reduction;
  const Order order = order_of(type, op);
  if (order == Order::kUnknown || !node::Reduction::describe(type, op, reduction)) {
    return kOfTheProgram;
  }
  if (order == Order::kMatters && runtime_settings().reproducible) return "LEADLINE_REPRODUCIBLE";
  return nullptr;
}

}  // namespace

Weight weigh_part(const Adopted& adopted, const void* buffer, int count, MPI_Datatype type) {
  if (count < 0) return {.doubt = "negative count"};
  const std::size_t size = dense_size(type);
  // MPI_BOTTOM is legal with derived datatypes only.
  if (size != 0 && buffer == nullptr && count > 0) return {.doubt = "null buffer"};
  Weight weight{.bytes = size * static_cast<std::size_t>(count)};
  if (size == 0) weight = weigh_derived(count, type, adopted.comm());
  return weight;
}

Weight weigh_parts(const Adopted& adopted, const void* buffer, const int* counts,
                   const int* offsets, MPI_Datatype type) {
  if (counts == nullptr || offsets == nullptr) return {.doubt = "no counts"};
  Weight weight = weigh_part(adopted, buffer, 0, type);
  std::size_t elements = 0;
  for (int rank = 0; rank < adopted.size(); ++rank) {
    if (counts[rank] < 0) return {.doubt = "negative count"};
    elements += static_cast<std::size_t>(counts[rank]);
  }
  if (weight.doubt != nullptr || elements == 0) return weight;
  weight = weigh_part(adopted, buffer, 1, type);
  weight.bytes *= elements;
  return weight;
}

Weight weigh_data(const Adopted& adopted, const void* buffer, int count, MPI_Datatype type) {
  Weight weight = weigh_part(adopted, buffer, count, type);
  if (weight.doubt != nullptr) return weight;
  if (weight.bytes == 0) weight.doubt = "no data";
  if (weight.bytes > INT_MAX) weight.doubt = "2 GiB or more";
  return weight;
}

Weight weigh_blocks(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type,
                    const void* out, int out_count, MPI_Datatype out_type) {
  const Weight received = weigh_data(adopted, out, out_count, out_type);
  if (in == MPI_IN_PLACE || received.doubt != nullptr) return received;
  const Weight sent = weigh_data(adopted, in, in_count, in_type);
  if (sent.doubt == nullptr && sent.bytes != received.bytes) {
    return {.doubt = "blocks sent and received differ"};
  }
  return sent;
}

const void* own_block(const Adopted& adopted, const void* blocks, int count, MPI_Datatype type) {
  return block_at(blocks, MPI_Aint{adopted.rank()} * count, type);
}

const void* own_block(const Adopted& adopted, const void* blocks, const int* offsets,
                      MPI_Datatype type) {
  return block_at(blocks, offsets[adopted.rank()], type);
}

namespace {

// Operations of the program, and MPI's own on types with gaps, where MPI defines them.
Weight weigh_ordered(const Adopted& adopted, int count, MPI_Datatype type, MPI_Op op) {
  const Order order = order_of(type, op);
  if (order == Order::kUnknown && (op == MPI_OP_NULL || is_predefined(op))) {
    return {.doubt = kOfTheProgram};
  }
  if (adopted.nodes() > 1) return {.doubt = kOfTheProgram};
  if (order != Order::kFree && runtime_settings().reproducible) {
    return {.doubt = "LEADLINE_REPRODUCIBLE"};
  }
  if (count < 0) return {.doubt = "negative count"};
  Weight weight = weigh_derived(count, type, adopted.comm());
  if (weight.doubt == nullptr && weight.bytes == 0) weight.doubt = "no data";
  if (weight.bytes > INT_MAX) weight.doubt = "2 GiB or more";
  return weight;
}

}  // namespace

Weight weigh_operands(const Adopted& adopted, const void* buffer, int count, MPI_Datatype type,
                      MPI_Op op) {
  static thread_local Memo<Operation> memo;
  Operation& known = memo.place(type);
  if (known.type != type || known.op != op) {
    known = {.type = type, .op = op, .doubt = doubt_about(type, op)};
  }
  // Handles of the program's own may stand for something else the next time.
  if (known.doubt == kOfTheProgram) return weigh_ordered(adopted, count, type, op);
  if (known.doubt != nullptr) return {.doubt = known.doubt};
  if (count < 0) return {.doubt = "negative count"};
  if (count == 0) return {.doubt = "no data"};
  if (buffer == nullptr) return {.doubt = "null buffer"};
  return {.bytes = dense_size(type) * static_cast<std::size_t>(count)};
}

}  // namespace leadline::runtime
