// The collectives among the ranks of one node, on data that lie in a row. All ranks of the node
// call the same ones in the same order, with the same numbers of bytes, which are not zero. Blocks
// are in the order of the node's ranks.
#pragma once

#include <cstddef>

#include "algorithms/node/node.hpp"
#include "algorithms/node/reducer.hpp"

namespace leadline::node {

void barrier(Node& node);
// Its two halves, between which rank 0 may do something for all: it waits for the others, and they
// wait for it.
void node_arrive(Node& node);
void node_leave(Node& node);

// `in` may be `out`.
void allreduce(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes);

// `out` is written at the root, where it may be `in`.
void reduce(Node& node, Reducer& reducer, const void* in, void* out, std::size_t bytes, int root);

// `in` is a block for each rank, `out` one block, which may be the first of `in`. Slots must hold
// pieces for all ranks.
void reduce_scatter(Node& node, Reducer& reducer, const void* in, void* out,
                    std::size_t bytes_per_block);

void bcast(Node& node, void* data, std::size_t bytes, int root);

// `in` is one block, and may be this rank's block of `out`.
void allgather(Node& node, const void* in, void* out, std::size_t bytes_per_block);
void gather(Node& node, const void* in, void* out, std::size_t bytes_per_block, int root);
void scatter(Node& node, const void* in, void* out, std::size_t bytes_per_block, int root);

// `in` may be `out`.
void alltoall(Node& node, const void* in, void* out, std::size_t bytes_per_block);
// Whether slots are long enough for scatter, alltoall and reduce_scatter among so many ranks.
bool holds_pieces_for(const Node& node, int ranks);

}  // namespace leadline::node
