#include "algorithms/collectives/allgatherv/allgatherv.hpp"

#include <climits>
#include <cstddef>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/elements.hpp"
#include "runtime/engine/call_info.hpp"
#include "runtime/engine/large_vectors.hpp"
#include "runtime/engine/replacement.hpp"

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
CallInfo inspect(const CommunicatorState& state, const void* in, int in_count, MPI_Datatype in_type,
                 void* out, const int* counts, const int* offsets, MPI_Datatype out_type,
                 MPI_Comm) {
  CallInfo info = inspect_parts(state, out, counts, offsets, out_type);
  if (info.declined()) return info;
  if (info.bytes == 0) return decline("no data");
  if (info.bytes > INT_MAX) return decline("2 GiB or more");
  if (in != MPI_IN_PLACE) {
    const CallInfo sent = inspect_part(state, in, in_count, in_type);
    if (sent.declined()) return sent;
    const CallInfo own = inspect_part(state, out, counts[state.rank()], out_type);
    if (sent.bytes != own.bytes) return decline("blocks sent and received differ");
    if (own.bytes > 0 && in_type == out_type && in == own_block(state, out, offsets, out_type)) {
      return decline("same buffer twice");
    }
  }
  info.bytes /= static_cast<std::size_t>(state.size());
  return info;
}

const Replacement<coll::Allgatherv, inspect> replacement{"allgatherv", "MPI_Allgatherv"};
#if MPI_VERSION >= 4
// One rank may have offsets beyond int where others have none, and cannot leave the call to the
// library alone: if the call is replaced, its blocks come to room of its own first.
class LargeAllgatherv {
 public:
  LargeAllgatherv() : interception_("MPI_Allgatherv_c", call, library_) {}

 private:
  using Small = Replacement<coll::Allgatherv, inspect>;

  static int call(const void* in, MPI_Count in_count, MPI_Datatype in_type, void* out,
                  const MPI_Count counts[], const MPI_Aint offsets[], MPI_Datatype out_type,
                  MPI_Comm comm) {
    bool by_library = false;
    const auto pass_on = [&] {
      by_library = true;
      return library_(in, in_count, in_type, out, counts, offsets, out_type, comm);
    };
    int between_groups = 1;
    int rank = 0;
    int size = 0;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS ||
        between_groups != 0 || PMPI_Comm_size(comm, &size) != MPI_SUCCESS ||
        PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS) {
      return pass_on();
    }
    const AsInt<int> sent(in_count, size);
    const AsInt<const int*> received(counts, size);
    const AsInt<const int*> places(offsets, size);
    const int* const near = places;
    Blocks blocks;
    if (near != nullptr || received == nullptr || !blocks.describe(received, size, out_type)) {
      return Small::carry_out(pass_on, in, sent, in_type, out, received, near, out_type, comm);
    }
    const auto element = [&](int of) {
      return static_cast<std::byte*>(out) + offsets[of] * blocks.extent;
    };
    if (in == MPI_IN_PLACE) {
      RETURN_IF_FAILED(coll::pack(element(rank), received[rank], out_type, blocks.at(rank),
                                  blocks.bytes_of(rank), comm));
    }
    const int code = Small::carry_out(pass_on, in, sent, in_type, blocks.at(0), blocks.bytes.data(),
                                      blocks.offsets.data(), MPI_BYTE, comm);
    for (int of = 0; of < size && code == MPI_SUCCESS && !by_library; ++of) {
      RETURN_IF_FAILED(coll::unpack(blocks.at(of), blocks.bytes_of(of), element(of), received[of],
                                    out_type, comm));
    }
    return code;
  }

  // The blocks of all ranks, one after the other, as they travel.
  struct Blocks {
    MPI_Aint extent = 0;
    std::vector<int> bytes;
    std::vector<int> offsets;
    std::vector<std::byte> room;

    // Returns false where all ranks leave the call to the library: there is no data, or there are
    // 2 GiB or more.
    bool describe(const int* counts, int size, MPI_Datatype type) {
      MPI_Aint lower_bound = 0;
      MPI_Count of_one = 0;
      MPI_Count sum = 0;
      if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &of_one) != MPI_SUCCESS ||
          PMPI_Type_get_extent(type, &lower_bound, &extent) != MPI_SUCCESS) {
        return false;
      }
      for (int i = 0; i < size; ++i) {
        if (counts[i] < 0 || of_one > INT_MAX || sum + counts[i] * of_one > INT_MAX) return false;
        offsets.push_back(static_cast<int>(sum));
        bytes.push_back(static_cast<int>(counts[i] * of_one));
        sum += bytes.back();
      }
      room.resize(static_cast<std::size_t>(sum));
      return sum > 0;
    }
    std::byte* at(int rank) { return room.data() + offsets[static_cast<std::size_t>(rank)]; }
    std::size_t bytes_of(int rank) const {
      return static_cast<std::size_t>(bytes[static_cast<std::size_t>(rank)]);
    }
  };

  inline static int (*library_)(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*,
                                const MPI_Aint*, MPI_Datatype, MPI_Comm) = nullptr;
  const Interception interception_;
};

const LargeAllgatherv large;
#endif

}  // namespace
}  // namespace leadline::runtime
