#include "algorithms/node_mpi/shared_edges.hpp"

#include <algorithm>
#include <climits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "algorithms/collectives/elements.hpp"
#include "algorithms/neighbourhood/neighbourhood.hpp"
#include "algorithms/node/edges.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/predefined.hpp"
#include "algorithms/node_mpi/segment_mpi.hpp"

namespace leadline::node {
namespace {

// What hangs on a neighbourhood, also where nothing could be made, so that it is not tried again.
struct SharedEdges final : coll::Neighbourhood::Kept {
  std::unique_ptr<Edges> edges;
  const coll::Neighbourhood* neighbourhood = nullptr;
  // Of the call that is carried out, so that it allocates nothing.
  std::vector<Edges::Sent> sent;
  std::vector<Edges::Received> received;

  bool goes(std::size_t edge) const { return neighbourhood->destinations()[edge] != MPI_PROC_NULL; }
};

int edge_end(int rank) { return rank == MPI_PROC_NULL ? Edges::kNobody : rank; }

// Collective.
int make(const coll::Neighbourhood& neighbourhood, int rank, MPI_Comm comm, SharedEdges& made) {
  const auto most = static_cast<std::size_t>(neighbourhood.most_outgoing());
  if (!Edges::has_room_for(most)) return MPI_SUCCESS;
  Segment segment;
  const Extent extent = Extent::all_from_the_start(Edges::bytes_per_rank(most));
  RETURN_IF_FAILED(map_segment(comm, extent, {}, segment));
  if (segment.empty()) return MPI_SUCCESS;
  std::vector<int> destinations;
  std::vector<Edges::Incoming> incoming;
  for (const int each : neighbourhood.destinations()) destinations.push_back(edge_end(each));
  for (const auto& [source, edge] : neighbourhood.incoming()) {
    incoming.push_back({.source = edge_end(source), .edge = static_cast<std::size_t>(edge)});
  }
  made.sent.resize(destinations.size());
  made.received.resize(incoming.size());
  made.edges = std::make_unique<Edges>(std::move(segment), rank, most, destinations, incoming);
  return MPI_SUCCESS;
}

int find_edges(const SharedCommunicator& shared, MPI_Comm comm, SharedEdges*& found) {
  coll::Neighbourhood* neighbourhood = nullptr;
  found = nullptr;
  RETURN_IF_FAILED(coll::Neighbourhood::of(comm, neighbourhood));
  if (neighbourhood == nullptr) return MPI_SUCCESS;
  if (neighbourhood->kept == nullptr) {
    auto made = std::make_unique<SharedEdges>();
    made->neighbourhood = neighbourhood;
    RETURN_IF_FAILED(make(*neighbourhood, shared.rank(), comm, *made));
    neighbourhood->kept = std::move(made);
  }
  found = static_cast<SharedEdges*>(neighbourhood->kept.get());
  return MPI_SUCCESS;
}

// One side's blocks as bytes. Elements of predefined types are taken where they lie; others are
// packed, since ranks may give the same data different datatypes.
class Packing {
 public:
  Packing(coll::EdgeBlocks& blocks, std::size_t edges, MPI_Comm comm)
      : blocks_(blocks),
        edges_(blocks.are_the_same() ? std::min<std::size_t>(edges, 1) : edges),
        comm_(comm) {}

  // `set(edge, address, bytes)` says where each block's bytes are, or are to be. Returns an MPI
  // error code, as all here.
  template <typename Set>
  int open(const Set& set) {
    if (edges_ == 0) return MPI_SUCCESS;
    RETURN_IF_FAILED(blocks_.describe());
    size_ = dense_predefined_size(blocks_.type());
    packs_ = size_ == 0;
    std::size_t all = 0;
    if (packs_) {
      int size = 0;
      RETURN_IF_FAILED(PMPI_Type_size(blocks_.type(), &size));
      size_ = static_cast<std::size_t>(size);
      for (std::size_t i = 0; i < edges_; ++i) all += bytes(i);
      packed_.reset(new (std::nothrow) std::byte[all]);
      if (packed_ == nullptr) return MPI_ERR_NO_MEM;
    }
    std::byte* next = packed_.get();
    for (std::size_t i = 0; i < edges_; ++i) {
      set(i, packs_ ? next : blocks_.address(i), bytes(i));
      if (packs_) next += bytes(i);
    }
    return MPI_SUCCESS;
  }
  int pack(std::size_t edge, std::byte* to) const {
    return in_pieces(edge, bytes(edge), [&](std::byte* elements, int now, std::size_t from) {
      return coll::pack(elements, now, blocks_.type(), to + from,
                        size_ * static_cast<std::size_t>(now), comm_);
    });
  }
  // So many bytes that came.
  int unpack(std::size_t edge, const std::byte* from, std::size_t came) const {
    return in_pieces(edge, came, [&](std::byte* elements, int now, std::size_t at) {
      return coll::unpack(from + at, size_ * static_cast<std::size_t>(now), elements, now,
                          blocks_.type(), comm_);
    });
  }
  std::size_t edges() const { return edges_; }

 private:
  std::size_t bytes(std::size_t edge) const {
    return size_ * static_cast<std::size_t>(blocks_.count(edge));
  }
  // `carry_out(elements, how many, bytes before them)`, as much as MPI can pack at a time.
  template <typename CarryOut>
  int in_pieces(std::size_t edge, std::size_t all, const CarryOut& carry_out) const {
    if (!packs_ || size_ == 0) return MPI_SUCCESS;
    const auto extent = blocks_.extent();
    const std::size_t count = all / size_;
    const std::size_t most = std::max<std::size_t>(1, INT_MAX / size_);
    for (std::size_t done = 0; done < count; done += most) {
      std::byte* const elements = blocks_.address(edge) + static_cast<MPI_Aint>(done) * extent;
      RETURN_IF_FAILED(
          carry_out(elements, static_cast<int>(std::min(most, count - done)), done * size_));
    }
    return MPI_SUCCESS;
  }

  coll::EdgeBlocks& blocks_;
  std::size_t edges_;
  MPI_Comm comm_;
  std::size_t size_ = 0;
  bool packs_ = false;
  std::unique_ptr<std::byte[]> packed_;
};

}  // namespace

int exchange_along_edges(coll::EdgeBlocks sent, coll::EdgeBlocks received, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  SharedEdges* found = nullptr;
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  if (shared == nullptr || !shared->one_node()) return coll::kLeftToLibrary;
  RETURN_IF_FAILED(find_edges(*shared, comm, found));
  if (found == nullptr || found->edges == nullptr) return coll::kLeftToLibrary;
  std::vector<Edges::Sent>& out = found->sent;
  std::vector<Edges::Received>& in = found->received;
  Packing sending(sent, out.size(), comm);
  Packing receiving(received, in.size(), comm);
  RETURN_IF_FAILED(sending.open([&](std::size_t edge, std::byte* data, std::size_t bytes) {
    out[edge] = {.data = data, .bytes = bytes};
  }));
  RETURN_IF_FAILED(receiving.open([&](std::size_t edge, std::byte* data, std::size_t bytes) {
    in[edge] = {.data = data, .room = bytes, .bytes = 0};
  }));
  for (std::size_t i = 0; i < sending.edges(); ++i) {
    const bool goes = sent.are_the_same() || found->goes(i);
    if (goes) RETURN_IF_FAILED(sending.pack(i, const_cast<std::byte*>(out[i].data)));
  }
  if (sent.are_the_same()) {
    const Edges::Sent nothing{.data = nullptr, .bytes = 0};
    found->edges->spread(shared->node(), out.empty() ? nothing : out[0], in.data());
  } else {
    found->edges->exchange(shared->node(), out.data(), in.data());
  }
  bool truncated = false;
  for (std::size_t i = 0; i < in.size(); ++i) {
    truncated = truncated || in[i].bytes > in[i].room;
    RETURN_IF_FAILED(receiving.unpack(i, in[i].data, std::min(in[i].bytes, in[i].room)));
  }
  const int code = shared->node().finish();
  return truncated ? MPI_ERR_TRUNCATE : code;
}

}  // namespace leadline::node
