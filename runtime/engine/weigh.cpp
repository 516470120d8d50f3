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

struct Operation {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  const char* doubt = nullptr;
};

const char* doubt_about(MPI_Datatype type, MPI_Op op) {
  node::Reduction reduction;
  const Order order = order_of(type, op);
  if (order == Order::kUnknown || !node::Reduction::describe(type, op, reduction)) {
    return "operation or datatype";
  }
  if (order == Order::kMatters && runtime_settings().reproducible) return "LEADLINE_REPRODUCIBLE";
  return nullptr;
}

}  // namespace

Weight weigh_data(const Adopted& adopted, const void* buffer, int count, MPI_Datatype type) {
  if (count < 0) return {.doubt = "negative count"};
  const std::size_t size = dense_size(type);
  // MPI_BOTTOM is legal with derived datatypes only.
  if (size != 0 && buffer == nullptr && count > 0) return {.doubt = "null buffer"};
  Weight weight{.bytes = size * static_cast<std::size_t>(count)};
  if (size == 0) weight = weigh_derived(count, type, adopted.comm());
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

Weight weigh_operands(const void* buffer, int count, MPI_Datatype type, MPI_Op op) {
  static thread_local Memo<Operation> memo;
  Operation& known = memo.place(type);
  if (known.type != type || known.op != op) {
    known = {.type = type, .op = op, .doubt = doubt_about(type, op)};
  }
  if (known.doubt != nullptr) return {.doubt = known.doubt};
  if (count < 0) return {.doubt = "negative count"};
  if (count == 0) return {.doubt = "no data"};
  if (buffer == nullptr) return {.doubt = "null buffer"};
  return {.bytes = dense_size(type) * static_cast<std::size_t>(count)};
}

}  // namespace leadline::runtime
