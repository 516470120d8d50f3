#include "algorithms/neighbourhood/edge_blocks.hpp"

#include <vector>

#include "algorithms/neighbourhood/neighbourhood.hpp"

namespace leadline::coll {
namespace {

thread_local const LargeArguments* large_here = nullptr;

// Without MPI 4, no call has more than int holds.
int send(const void* data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
         MPI_Request* request) {
#if MPI_VERSION >= 4
  return PMPI_Isend_c(data, count, type, to, tag, comm, request);
#else
  return PMPI_Isend(data, static_cast<int>(count), type, to, tag, comm, request);
#endif
}

int receive(void* data, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
            MPI_Request* request) {
#if MPI_VERSION >= 4
  return PMPI_Irecv_c(data, count, type, from, tag, comm, request);
#else
  return PMPI_Irecv(data, static_cast<int>(count), type, from, tag, comm, request);
#endif
}

}  // namespace

LargeArguments::LargeArguments(Side out, Side in) : out(out), in(in) { large_here = this; }

LargeArguments::~LargeArguments() { large_here = nullptr; }

const LargeArguments* LargeArguments::here() { return large_here; }

// MPI's own functions take data that they only read as void*, too.
EdgeBlocks::EdgeBlocks(Kind kind, const void* address, MPI_Datatype type)
    : kind_(kind), address_(static_cast<std::byte*>(const_cast<void*>(address))), type_(type) {}

EdgeBlocks EdgeBlocks::same(const void* address, int count, MPI_Datatype type) {
  EdgeBlocks blocks(Kind::kSame, address, type);
  blocks.count_ = large_here != nullptr ? large_here->out.count : count;
  return blocks;
}

EdgeBlocks EdgeBlocks::sent_in_a_row(const void* address, int count, MPI_Datatype type) {
  EdgeBlocks blocks = same(address, count, type);
  blocks.kind_ = Kind::kRow;
  return blocks;
}

EdgeBlocks EdgeBlocks::received_in_a_row(void* address, int count, MPI_Datatype type) {
  EdgeBlocks blocks(Kind::kRow, address, type);
  blocks.count_ = large_here != nullptr ? large_here->in.count : count;
  return blocks;
}

EdgeBlocks EdgeBlocks::sent_from(const void* address, const int* counts, const int* offsets,
                                 MPI_Datatype type) {
  EdgeBlocks blocks(large_here != nullptr ? Kind::kLarge : Kind::kPlaces, address, type);
  blocks.counts_ = counts;
  blocks.offsets_ = offsets;
  if (large_here != nullptr) blocks.large_ = &large_here->out;
  return blocks;
}

EdgeBlocks EdgeBlocks::received_at(void* address, const int* counts, const int* offsets,
                                   MPI_Datatype type) {
  EdgeBlocks blocks = sent_from(address, counts, offsets, type);
  if (large_here != nullptr) blocks.large_ = &large_here->in;
  return blocks;
}

bool EdgeBlocks::are_given() const {
  if (kind_ == Kind::kPlaces) return counts_ != nullptr && offsets_ != nullptr;
  return kind_ != Kind::kLarge || (large_->counts != nullptr && large_->offsets != nullptr);
}

int EdgeBlocks::describe() {
  MPI_Aint lower_bound = 0;
  return PMPI_Type_get_extent(type_, &lower_bound, &extent_);
}

MPI_Count EdgeBlocks::count(std::size_t edge) const {
  if (kind_ == Kind::kPlaces) return counts_[edge];
  return kind_ == Kind::kLarge ? large_->counts[edge] : count_;
}

std::byte* EdgeBlocks::address(std::size_t edge) const {
  MPI_Aint elements = 0;
  if (kind_ == Kind::kRow) elements = static_cast<MPI_Aint>(edge) * static_cast<MPI_Aint>(count_);
  if (kind_ == Kind::kPlaces) elements = offsets_[edge];
  if (kind_ == Kind::kLarge) elements = large_->offsets[edge];
  return address_ + elements * extent_;
}

int send_along_edges(EdgeBlocks sent, EdgeBlocks received, MPI_Comm comm) {
  Neighbourhood* neighbourhood = nullptr;
  RETURN_IF_FAILED(Neighbourhood::of(comm, neighbourhood));
  if (neighbourhood == nullptr) return kLeftToLibrary;
  if (neighbourhood->receives()) RETURN_IF_FAILED(received.describe());
  if (neighbourhood->sends()) RETURN_IF_FAILED(sent.describe());
  const auto& incoming = neighbourhood->incoming();
  const auto& destinations = neighbourhood->destinations();
  std::vector<MPI_Request> requests;
  requests.reserve(incoming.size() + destinations.size());
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    const auto [source, edge] = incoming[i];
    if (source == MPI_PROC_NULL) continue;
    RETURN_IF_FAILED(receive(received.address(i), received.count(i), received.type(), source,
                             kAlgorithmTag + edge, comm, &requests.emplace_back(MPI_REQUEST_NULL)));
  }
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (destinations[i] == MPI_PROC_NULL) continue;
    RETURN_IF_FAILED(send(sent.address(i), sent.count(i), sent.type(), destinations[i],
                          kAlgorithmTag + static_cast<int>(i), comm,
                          &requests.emplace_back(MPI_REQUEST_NULL)));
  }
  return PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace leadline::coll
