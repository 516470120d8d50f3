#include "runtime/engine/call_info.hpp"

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
CallInfo inspect_derived(int count, MPI_Datatype type, MPI_Comm comm) {
  if (type == MPI_DATATYPE_NULL) return decline("no datatype");
  int bytes = 0;
  if (PMPI_Pack_size(1, type, comm, &bytes) != MPI_SUCCESS) return decline("datatype");
  if (PMPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes < 0) return decline("datatype");
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
  const char* decline_reason = nullptr;
};

constexpr const char* kOfTheProgram = "operation or datatype";

const char* reason_to_decline(MPI_Datatype type, MPI_Op op) {
  node::Reduction reduction;
  const Order order = order_of(type, op);
  if (order == Order::kUnknown || !node::Reduction::describe(type, op, reduction)) {
    return kOfTheProgram;
  }
  if (order == Order::kMatters && runtime_settings().reproducible) return "LEADLINE_REPRODUCIBLE";
  return nullptr;
}

}  // namespace

CallInfo inspect_part(const CommunicatorState& state, const void* buffer, int count,
                      MPI_Datatype type) {
  if (count < 0) return decline("negative count");
  const std::size_t size = dense_size(type);
  // MPI_BOTTOM is legal with derived datatypes only.
  if (size != 0 && buffer == nullptr && count > 0) return decline("null buffer");
  CallInfo info{.bytes = size * static_cast<std::size_t>(count)};
  if (size == 0) info = inspect_derived(count, type, state.comm());
  return info;
}

CallInfo inspect_parts(const CommunicatorState& state, const void* buffer, const int* counts,
                       const int* offsets, MPI_Datatype type) {
  if (counts == nullptr || offsets == nullptr) return decline("no counts");
  CallInfo info = inspect_part(state, buffer, 0, type);
  std::size_t elements = 0;
  for (int rank = 0; rank < state.size(); ++rank) {
    if (counts[rank] < 0) return decline("negative count");
    elements += static_cast<std::size_t>(counts[rank]);
  }
  if (info.declined() || elements == 0) return info;
  info = inspect_part(state, buffer, 1, type);
  info.bytes *= elements;
  return info;
}

CallInfo inspect_data(const CommunicatorState& state, const void* buffer, int count,
                      MPI_Datatype type) {
  CallInfo info = inspect_part(state, buffer, count, type);
  if (info.declined()) return info;
  if (info.bytes == 0) info.decline_reason = "no data";
  if (info.bytes > INT_MAX) info.decline_reason = "2 GiB or more";
  return info;
}

CallInfo inspect_blocks(const CommunicatorState& state, const void* in, int in_count,
                        MPI_Datatype in_type, const void* out, int out_count,
                        MPI_Datatype out_type) {
  const CallInfo received = inspect_data(state, out, out_count, out_type);
  if (in == MPI_IN_PLACE || received.declined()) return received;
  const CallInfo sent = inspect_data(state, in, in_count, in_type);
  if (!sent.declined() && sent.bytes != received.bytes) {
    return decline("blocks sent and received differ");
  }
  return sent;
}

const void* own_block(const CommunicatorState& state, const void* blocks, int count,
                      MPI_Datatype type) {
  return block_at(blocks, MPI_Aint{state.rank()} * count, type);
}

const void* own_block(const CommunicatorState& state, const void* blocks, const int* offsets,
                      MPI_Datatype type) {
  return block_at(blocks, offsets[state.rank()], type);
}

namespace {

// Operations of the program, and MPI's own on types with gaps, where MPI defines them.
CallInfo inspect_ordered(const CommunicatorState& state, int count, MPI_Datatype type, MPI_Op op) {
  const Order order = order_of(type, op);
  if (order == Order::kUnknown && (op == MPI_OP_NULL || is_predefined(op))) {
    return decline(kOfTheProgram);
  }
  if (state.nodes() > 1) return decline(kOfTheProgram);
  if (order != Order::kFree && runtime_settings().reproducible) {
    return decline("LEADLINE_REPRODUCIBLE");
  }
  if (count < 0) return decline("negative count");
  CallInfo info = inspect_derived(count, type, state.comm());
  if (!info.declined() && info.bytes == 0) info.decline_reason = "no data";
  if (info.bytes > INT_MAX) info.decline_reason = "2 GiB or more";
  return info;
}

}  // namespace

CallInfo inspect_operands(const CommunicatorState& state, const void* buffer, int count,
                          MPI_Datatype type, MPI_Op op) {
  static thread_local Memo<Operation> memo;
  Operation& known = memo.place(type);
  if (known.type != type || known.op != op) {
    known = {.type = type, .op = op, .decline_reason = reason_to_decline(type, op)};
  }
  // Handles of the program's own may stand for something else the next time.
  if (known.decline_reason == kOfTheProgram) return inspect_ordered(state, count, type, op);
  if (known.decline_reason != nullptr) return decline(known.decline_reason);
  if (count < 0) return decline("negative count");
  if (count == 0) return decline("no data");
  if (buffer == nullptr) return decline("null buffer");
  return {.bytes = dense_size(type) * static_cast<std::size_t>(count)};
}

}  // namespace leadline::runtime
