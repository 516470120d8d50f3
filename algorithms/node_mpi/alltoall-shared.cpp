// On one node, every rank writes pieces for all others to shared memory and reads those for itself.
//
// Between nodes, small blocks are brought together: the first rank of each node collects what its
// node sends, exchanges it with the other first ranks in one message a node, and hands it out.
// Larger blocks gain nothing by that, and are left to the library.
#include <climits>
#include <cstring>
#include <vector>

#include "algorithms/collectives/alltoall/alltoall.hpp"
#include "algorithms/node/node_collectives.hpp"
#include "algorithms/node_mpi/communicator.hpp"
#include "algorithms/node_mpi/row.hpp"

namespace leadline::node {
namespace {

// Messages above this size cost by the byte, not by the message, on all networks of today.
constexpr std::size_t kSmallBlock = 4096;

// Blocks between all ranks of this node and all ranks of the communicator, in two orders: as the
// ranks of the node have them, one after the other; and as the messages to the other nodes do, in
// which blocks are sorted by sender, then by receiver.
class Blocks {
 public:
  Blocks(const SharedCommunicator& shared, std::size_t bytes)
      : shared_(shared),
        here_(static_cast<std::size_t>(shared.ranks_on_node(shared.this_node()))),
        ranks_(static_cast<std::size_t>(shared.size())),
        bytes_(bytes) {
    const int bytes_of_rank = static_cast<int>(here_ * bytes);
    for (int node = 0; node < shared.nodes(); ++node) {
      counts_.push_back(shared.ranks_on_node(node) * bytes_of_rank);
      offsets_.push_back(shared.first_place(node) * bytes_of_rank);
    }
  }

  std::size_t bytes() const { return here_ * ranks_ * bytes_; }
  const int* counts() const { return counts_.data(); }
  const int* offsets() const { return offsets_.data(); }

  void sort_to_send(const std::byte* of_ranks, std::byte* messages) const {
    for (int node = 0; node < shared_.nodes(); ++node) {
      for (std::size_t sender = 0; sender < here_; ++sender) {
        for (int to = shared_.first_place(node); to < shared_.first_place(node + 1); ++to) {
          std::memcpy(messages, of_ranks + offset(sender, shared_.rank_at(to)), bytes_);
          messages += bytes_;
        }
      }
    }
  }
  void sort_received(const std::byte* messages, std::byte* of_ranks) const {
    for (int from = 0; from < shared_.size(); ++from) {
      for (std::size_t receiver = 0; receiver < here_; ++receiver) {
        std::memcpy(of_ranks + offset(receiver, shared_.rank_at(from)), messages, bytes_);
        messages += bytes_;
      }
    }
  }

 private:
  std::size_t offset(std::size_t here, int other) const {
    return (here * ranks_ + static_cast<std::size_t>(other)) * bytes_;
  }

  const SharedCommunicator& shared_;
  std::size_t here_;
  std::size_t ranks_;
  std::size_t bytes_;
  std::vector<int> counts_;
  std::vector<int> offsets_;
};

int between_nodes(SharedCommunicator& shared, const std::byte* in, std::byte* out,
                  std::size_t bytes) {
  const std::size_t bytes_of_rank = bytes * static_cast<std::size_t>(shared.size());
  std::vector<std::byte> of_ranks;
  int code = MPI_SUCCESS;
  if (!shared.leads()) {
    gather(shared.node(), in, nullptr, bytes_of_rank, 0);
  } else {
    const Blocks blocks(shared, bytes);
    std::vector<std::byte> sent(blocks.bytes());
    std::vector<std::byte> received(blocks.bytes());
    of_ranks.resize(blocks.bytes());
    gather(shared.node(), in, of_ranks.data(), bytes_of_rank, 0);
    blocks.sort_to_send(of_ranks.data(), sent.data());
    code = PMPI_Alltoallv(sent.data(), blocks.counts(), blocks.offsets(), MPI_BYTE, received.data(),
                          blocks.counts(), blocks.offsets(), MPI_BYTE, shared.leaders());
    blocks.sort_received(received.data(), of_ranks.data());
  }
  scatter(shared.node(), of_ranks.data(), out, bytes_of_rank, 0);
  return code;
}

bool is_for_us(SharedCommunicator& shared, std::size_t bytes) {
  const int most = shared.most_ranks_on_node();
  const auto blocks = static_cast<std::size_t>(most) * static_cast<std::size_t>(shared.size());
  if (!holds_pieces_for(shared.node(), most)) return false;
  return shared.one_node() ? bytes <= INT_MAX
                           : bytes <= kSmallBlock && blocks <= INT_MAX / kSmallBlock;
}

int alltoall_shared(const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count,
                    MPI_Datatype out_type, MPI_Comm comm) {
  SharedCommunicator* shared = nullptr;
  int size = 0;
  Row sent;
  Row received;
  if (out_count < 0 || (in != MPI_IN_PLACE && in_count < 0)) {
    return coll::alltoall_pairwise(in, in_count, in_type, out, out_count, out_type, comm);
  }
  RETURN_IF_FAILED(PMPI_Comm_size(comm, &size));
  RETURN_IF_FAILED(received.describe(out, out_count, out_type, size, comm));
  if (in != MPI_IN_PLACE) RETURN_IF_FAILED(sent.describe(in, in_count, in_type, size, comm));
  RETURN_IF_FAILED(SharedCommunicator::of(comm, shared));
  const std::size_t bytes = received.block_bytes();
  if (bytes == 0) return MPI_SUCCESS;
  if (shared == nullptr || !is_for_us(*shared, bytes)) {
    return PMPI_Alltoall(in, in_count, in_type, out, out_count, out_type, comm);
  }
  RETURN_IF_FAILED((in == MPI_IN_PLACE ? received : sent).pack());
  const std::byte* mine = in == MPI_IN_PLACE ? received.data() : sent.data();
  if (shared->one_node()) {
    alltoall(shared->node(), mine, received.data(), bytes);
  } else {
    RETURN_IF_FAILED(between_nodes(*shared, mine, received.data(), bytes));
  }
  RETURN_IF_FAILED(received.unpack());
  return shared->finish();
}

const coll::AlltoallAlgorithm shared{
    "shared",
    "node-aware: pieces through shared memory on one node; small blocks in one message from node "
    "to node; the library's for larger ones between nodes",
    "Graham, Shipman: MPI Support for Multi-core Architectures: Optimized Shared Memory "
    "Collectives, EuroPVM/MPI 2008",
    alltoall_shared};

}  // namespace
}  // namespace leadline::node
