// What leadline knows of a communicator whose ranks share memory: its nodes, and a communicator of
// the nodes' first ranks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "algorithms/node/node.hpp"
#include "algorithms/node_mpi/node_mpi.hpp"

namespace leadline::node {

class SharedCommunicator {
 public:
  // The one that belongs to `comm`, made by the first call, which is collective. nullptr on all
  // ranks where they cannot share memory, or where every node has one rank only: then there is
  // nothing to gain. It lives as long as the communicator. Returns an MPI error code.
  //
  // For P ranks on N nodes, it is made in O(log P) steps: on one host, by two collectives of few
  // numbers; else by some more, and splits, fewer once the nodes of MPI_COMM_WORLD are known. It
  // keeps 3 P + N integers on each rank, and with several nodes one communicator; those that are
  // needed to make it are freed.
  static int of(MPI_Comm comm, SharedCommunicator*& found);
  // The same, for the first call, in two halves. Between them the caller combines the terms of all
  // ranks, over a communicator of the same ranks in the same order.
  static int terms(MPI_Comm ranks, bool offers, Terms& terms);
  static int make(MPI_Comm comm, Common& common, SharedCommunicator*& found);

  ~SharedCommunicator();
  SharedCommunicator(const SharedCommunicator&) = delete;
  SharedCommunicator& operator=(const SharedCommunicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(node_of_.size()); }
  bool one_node() const { return nodes_ == 1; }
  int nodes() const { return nodes_; }

  // The ranks of this rank's node, in the order of the communicator.
  Node& node() { return *node_; }
  const Node& node() const { return *node_; }
  // Ends a collective, as Node::finish. What ranks of other nodes sent, nobody has told of.
  int finish() {
    if (!one_node()) node().make_progress();
    return node().finish();
  }
  bool leads() const { return node().rank() == 0; }
  // The first ranks of all nodes, in the order of the nodes; MPI_COMM_NULL on other ranks, and
  // where there is one node only.
  MPI_Comm leaders() const { return leads() ? between_ : MPI_COMM_NULL; }
  // The ranks with this rank's number on all nodes, in the order of the nodes, where all nodes have
  // as many ranks: all ranks of a node can work on the network at the same time. MPI_COMM_NULL
  // elsewhere.
  MPI_Comm rail() const { return even() ? between_ : MPI_COMM_NULL; }
  bool even() const { return most_ranks_on_node_ * nodes_ == size(); }

  // Nodes are counted in the order of their first ranks.
  int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  int this_node() const { return node_of(rank_); }
  int rank_on_node(int rank) const { return place_of(rank) - first_place(node_of(rank)); }
  int ranks_on_node(int node) const { return first_place(node + 1) - first_place(node); }
  int most_ranks_on_node() const { return most_ranks_on_node_; }

  // Ranks have places in the order of nodes, and of ranks on each node.
  int place_of(int rank) const { return place_of_[static_cast<std::size_t>(rank)]; }
  int rank_at(int place) const { return rank_at_[static_cast<std::size_t>(place)]; }
  int first_place(int node) const { return first_place_[static_cast<std::size_t>(node)]; }
  // Whether that is the order of the communicator, too.
  bool in_order() const { return in_order_; }
  // Copies a block for each rank from one order to the other.
  void sort_by_place(const std::byte* by_rank, std::byte* by_place, std::size_t bytes) const;
  void sort_by_rank(const std::byte* by_place, std::byte* by_rank, std::size_t bytes) const;

 private:
  SharedCommunicator() = default;
  static int create(MPI_Comm comm, Common& common, std::unique_ptr<SharedCommunicator>& made);
  static int look_up(MPI_Comm comm, SharedCommunicator*& found);
  int number_nodes(MPI_Comm comm, MPI_Comm node);
  void number_nodes(const std::vector<int>& names);
  void give_places();

  std::unique_ptr<Node> node_;
  MPI_Comm between_ = MPI_COMM_NULL;
  int rank_ = 0;
  int nodes_ = 0;
  int most_ranks_on_node_ = 0;
  bool in_order_ = true;
  std::vector<int> node_of_;
  std::vector<int> place_of_;
  std::vector<int> rank_at_;
  std::vector<int> first_place_;  // and one more: all ranks
};

}  // namespace leadline::node
