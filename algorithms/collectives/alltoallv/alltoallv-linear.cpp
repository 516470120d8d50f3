// All messages at once, and one wait for all of them. Each rank begins with its neighbours, so that
// not all send to rank 0 first. Empty blocks are not sent.
#include <memory>
#include <new>
#include <vector>

#include "algorithms/collectives/alltoallv/alltoallv.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

// What a rank sends: in place, copies of what its results replace.
class Outgoing {
 public:
  int open(const void* in, const int* counts, const int* offsets, MPI_Datatype type) {
    in_ = in;
    counts_ = counts;
    offsets_ = offsets;
    type_ = type;
    return describe_elements(1, type, element_);
  }
  int copy(const Shape& shape, const void* blocks, const int* counts, const int* offsets,
           MPI_Comm comm) {
    RETURN_IF_FAILED(open(blocks, counts, offsets, shape.elements.type));
    copies_.resize(static_cast<std::size_t>(shape.size));
    for (int rank = 0; rank < shape.size; ++rank) {
      if (rank == shape.rank) continue;
      Elements elements;
      Scratch& own = copies_[static_cast<std::size_t>(rank)];
      RETURN_IF_FAILED(describe_elements(counts[rank], type_, elements));
      RETURN_IF_FAILED(own.allocate(elements));
      RETURN_IF_FAILED(copy_elements(elements, block_for_original(rank), own.address(), comm));
    }
    return MPI_SUCCESS;
  }
  const void* block_for(int rank) const {
    if (copies_.empty()) return block_for_original(rank);
    return copies_[static_cast<std::size_t>(rank)].address();
  }
  int count(int rank) const { return counts_[rank]; }
  MPI_Datatype type() const { return type_; }
  bool has(int rank) const { return counts_[rank] > 0 && element_.data > 0; }

 private:
  const void* block_for_original(int rank) const { return element_.at(in_, offsets_[rank]); }

  const void* in_ = nullptr;
  const int* counts_ = nullptr;
  const int* offsets_ = nullptr;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Elements element_;
  std::vector<Scratch> copies_;
};

int alltoallv_linear(const void* in, const int* in_counts, const int* in_offsets,
                     MPI_Datatype in_type, void* out, const int* out_counts, const int* out_offsets,
                     MPI_Datatype out_type, MPI_Comm comm) {
  Shape shape;
  Outgoing outgoing;
  RETURN_IF_FAILED(shape.describe(1, out_type, comm));
  const auto& [rank, size, element] = shape;
  const auto place = [&](int other) { return shape.elements.at(out, out_offsets[other]); };
  if (in == MPI_IN_PLACE) {
    RETURN_IF_FAILED(outgoing.copy(shape, out, out_counts, out_offsets, comm));
  } else {
    RETURN_IF_FAILED(outgoing.open(in, in_counts, in_offsets, in_type));
    if (outgoing.has(rank)) {
      RETURN_IF_FAILED(copy_data(outgoing.block_for(rank), in_counts[rank], in_type, place(rank),
                                 out_counts[rank], out_type, comm));
    }
  }
  const int most = 2 * (size - 1);
  const std::unique_ptr<MPI_Request[]> requests(new (std::nothrow) MPI_Request[most]);
  if (requests == nullptr) return MPI_ERR_NO_MEM;
  int messages = 0;
  for (int step = 1; step < size; ++step) {
    const int sender = (rank + size - step) % size;
    if (out_counts[sender] == 0 || element.data == 0) continue;
    RETURN_IF_FAILED(PMPI_Irecv(place(sender), out_counts[sender], out_type, sender, kAlgorithmTag,
                                comm, &requests[messages++]));
  }
  for (int step = 1; step < size; ++step) {
    const int receiver = (rank + step) % size;
    if (!outgoing.has(receiver)) continue;
    RETURN_IF_FAILED(PMPI_Isend(outgoing.block_for(receiver), outgoing.count(receiver),
                                outgoing.type(), receiver, kAlgorithmTag, comm,
                                &requests[messages++]));
  }
  return PMPI_Waitall(messages, requests.get(), MPI_STATUSES_IGNORE);
}

const AlltoallvAlgorithm linear{
    "linear", "all non-blocking receives and sends at once, of blocks that are not empty",
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra: Performance Analysis of MPI "
    "Collective Operations, Cluster Computing 10(2), 2007",
    alltoallv_linear};

}  // namespace
}  // namespace leadline::coll
