// The collectives among the ranks of one node, on data that lie in a row. All ranks of the node
// call the same ones in the same order, with the same numbers of bytes, which are not zero. Blocks
// are in the order of the node's ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "algorithms/node/node.hpp"
#include "algorithms/node/reducer.hpp"

namespace leadline::node {

// Where a block lies in a buffer of many. It may be empty.
struct Place {
  std::size_t offset;
  std::size_t bytes;
  // Of which so many, at most `most`, lie from `from` on.
  std::size_t rest(std::size_t from, std::size_t most) const {
    return from < bytes ? std::min(most, bytes - from) : 0;
  }
};

void barrier(Node& node);
// Its two halves, between which rank 0 may do something for all: it waits for the others, and they
// wait for it.
void node_arrive(Node& node);
void node_leave(Node& node);

// Whether all ranks read one clock, that of their node.
bool read_one_clock(Node& node);

// `in` may be `out`.
void allreduce(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes);

// `out` is written at the root, where it may be `in`.
void reduce(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes, int root);

// Each rank gets the operands up to its own, or those before it; then the first one gets nothing.
// `in` may be `out`. Slots must hold pieces for all ranks.
enum class Prefix { kInclusive, kExclusive };
void scan(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes,
          Prefix prefix);

// A block for each rank, one after the other: all of a length, or each as long as `firsts` says,
// where the blocks begin and, one more, the end of the last.
class BlockLengths {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): blocks of one length are the usual ones.
  BlockLengths(std::size_t bytes) : bytes_(bytes) {}
  explicit BlockLengths(const std::size_t* firsts) : firsts_(firsts) {}

  std::size_t first(int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return firsts_ != nullptr ? firsts_[index] : index * bytes_;
  }
  std::size_t bytes(int rank) const {
    return firsts_ != nullptr ? first(rank + 1) - first(rank) : bytes_;
  }
  std::size_t longest(int ranks) const {
    std::size_t longest = bytes_;
    for (int rank = 0; firsts_ != nullptr && rank < ranks; ++rank) {
      longest = std::max(longest, bytes(rank));
    }
    return longest;
  }

 private:
  std::size_t bytes_ = 0;
  const std::size_t* firsts_ = nullptr;
};

// `in` is a block for each rank, not all of which are empty, `out` one block. That may be the first
// of `in` where all are of one length. Slots must hold pieces for all ranks.
void reduce_scatter(Node& node, Reducer& reducer, const void* in, void* out,
                    const BlockLengths& blocks);

// Returns how many bytes the root has sent, of which `data` then has `bytes` at most.
std::size_t bcast(Node& node, void* data, std::size_t bytes, int root);

// `in` is one block, and may be this rank's block of `out`.
void allgather(Node& node, const void* in, void* out, std::size_t bytes_per_block);
// Blocks of different sizes, which all ranks know: one of each rank, in places of `out`.
void allgatherv(Node& node, const void* in, void* out, const std::vector<Place>& blocks);
void gather(Node& node, const void* in, void* out, std::size_t bytes_per_block, int root);
void scatter(Node& node, const void* in, void* out, std::size_t bytes_per_block, int root);

// `in` may be `out`.
void alltoall(Node& node, const void* in, void* out, std::size_t bytes_per_block);

// Blocks of sizes that only their sender and their receiver know: of both alike, or the receiver
// takes what it has room for.
enum class Delivered { kAll, kTruncated, kNothing };
// Without `blocks` at one rank, nothing is delivered on any: it refuses for all of them.
Delivered gatherv(Node& node, const void* in, std::size_t bytes, void* out,
                  const std::vector<Place>* blocks, int root);
Delivered scatterv(Node& node, const void* in, const std::vector<Place>* blocks, void* out,
                   std::size_t bytes, int root);
// Neither `in` nor a part of it is a part of `out`, but between two ranks whose blocks for each
// other are of one length and lie at the same places: then `in` may be `out`.
Delivered alltoallv(Node& node, const void* in, const std::vector<Place>* sent, void* out,
                    const std::vector<Place>* received);
// Whether slots are long enough for scatterv and alltoallv among so many ranks.
bool labels_parcels_for(const Node& node, int ranks);

// Whether slots are long enough for scatter, alltoall and reduce_scatter among so many ranks.
bool holds_pieces_for(const Node& node, int ranks);

}  // namespace leadline::node
