#include "runtime/engine/weigh.hpp"

#include "algorithms/shared/predefined.hpp"
#include "runtime/engine/settings.hpp"

namespace leadline {

Weight weigh_data(const void* buffer, int count, MPI_Datatype type) {
  if (count < 0) return {.doubt = "negative count"};
  if (type == MPI_DATATYPE_NULL) return {.doubt = "no datatype"};
  std::size_t size = dense_predefined_size(type);
  if (size == 0) {
    int bytes = 0;
    if (PMPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes < 0) return {.doubt = "datatype"};
    size = static_cast<std::size_t>(bytes);
  }
  const std::size_t bytes = size * static_cast<std::size_t>(count);
  if (bytes == 0) return {.doubt = "no data"};
  // MPI_BOTTOM is legal with derived datatypes only.
  if (buffer == nullptr && dense_predefined_size(type) != 0) return {.doubt = "null buffer"};
  return {.bytes = bytes};
}

Weight weigh_operands(const void* buffer, int count, MPI_Datatype type, MPI_Op op) {
  const Weight weight = weigh_data(buffer, count, type);
  if (weight.doubt != nullptr) return weight;
  Reduction reduction;
  if (!Reduction::describe(type, op, reduction)) return {.doubt = "operation or datatype"};
  if (runtime_settings().reproducible) return {.doubt = "LEADLINE_REPRODUCIBLE"};
  return weight;
}

}  // namespace leadline
