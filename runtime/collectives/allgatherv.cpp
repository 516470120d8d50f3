#include "algorithms/collectives/allgatherv/allgatherv.hpp"

#include <climits>

#include "runtime/engine/large_vectors.hpp"
#include "runtime/engine/weigh.hpp"

namespace leadline::runtime {

// In place, nothing is said of what this rank sends but in the counts.
template <>
struct MovedBy<coll::Allgatherv> {
  template <typename All>
  static Moved among(const All& all) {
    const auto& [in, in_count, in_type, out, counts, offsets, out_type, comm] = all;
    if (in == MPI_IN_PLACE) return {};
    return {.count = in_count, .type = in_type};
  }
};

namespace {

// The mean block, which all ranks know.
Weight weigh(const Adopted& adopted, const void* in, int in_count, MPI_Datatype in_type, void* out,
             const int* counts, const int* offsets, MPI_Datatype out_type, MPI_Comm) {
  Weight weight = weigh_parts(adopted, out, counts, offsets, out_type);
  if (weight.doubt != nullptr) return weight;
  if (weight.bytes == 0) return {.doubt = "no data"};
  if (weight.bytes > INT_MAX) return {.doubt = "2 GiB or more"};
  if (in != MPI_IN_PLACE) {
    const Weight sent = weigh_part(adopted, in, in_count, in_type);
    if (sent.doubt != nullptr) return sent;
    const Weight own = weigh_part(adopted, out, counts[adopted.rank()], out_type);
    if (sent.bytes != own.bytes) return {.doubt = "blocks sent and received differ"};
    if (own.bytes > 0 && in_type == out_type && in == own_block(adopted, out, offsets, out_type)) {
      return {.doubt = "same buffer twice"};
    }
  }
  weight.bytes /= static_cast<std::size_t>(adopted.size());
  return weight;
}

const Replacement<coll::Allgatherv, weigh> replacement{"allgatherv", "MPI_Allgatherv"};
#if MPI_VERSION >= 4
constexpr auto kAllRanks = [](int size, auto...) { return size; };
const LargeVectors<Replacement<coll::Allgatherv, weigh>, decltype(MPI_Allgatherv_c), kAllRanks>
    large{"MPI_Allgatherv_c"};
#endif

}  // namespace
}  // namespace leadline::runtime
