#include "runtime/engine/choice.hpp"

namespace leadline::runtime {

Call describe_choice(const char* name, const Choice& choice, MPI_Comm comm, int count,
                     MPI_Datatype type) {
  Call call{.function = name};
  int size = 0;
  if (choice.state != nullptr) {
    call.processes = choice.state->size();
    call.nodes = choice.state->nodes();
  } else if (comm != MPI_COMM_NULL) {
    PMPI_Comm_size(comm, &call.processes);
  }
  if (count >= 0 && type != MPI_DATATYPE_NULL && PMPI_Type_size(type, &size) == MPI_SUCCESS) {
    call.has_bytes = true;
    call.bytes = static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
  }
  const Rule* const rule = choice.range != nullptr ? choice.range->rule : nullptr;
  const Learnt* const learnt = choice.range != nullptr ? choice.range->learnt.get() : nullptr;
  if (learnt != nullptr && (choice.is_trial || learnt->decided() || rule == nullptr)) {
    describe_learnt(*learnt, choice.is_trial, choice.function, call);
  } else if (rule != nullptr && choice.function != nullptr) {
    call.algorithm = rule->algorithm.c_str();
  } else if (choice.decline_reason != nullptr) {
    call.reason = choice.decline_reason;
  } else if (choice.state == nullptr) {
    call.reason = CommunicatorState::why_not(comm);
  } else {
    call.reason = rule == nullptr ? "no rule for its size" : "the library is faster";
  }
  return call;
}

}  // namespace leadline::runtime
