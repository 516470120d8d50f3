// What leadline knows of a communicator whose ranks share memory: its nodes, and a communicator of
// the nodes' first ranks.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "algorithms/shared/node.hpp"

namespace leadline {

class SharedCommunicator {
 public:
  // The one that belongs to `comm`, made by the first call, which is collective. nullptr on all
  // ranks where they cannot share memory, or where every node has one rank only: then there is
  // nothing to gain. It lives as long as the communicator. Returns an MPI error code.
  static int of(MPI_Comm comm, SharedCommunicator*& found);

  ~SharedCommunicator();
  SharedCommunicator(const SharedCommunicator&) = delete;
  SharedCommunicator& operator=(const SharedCommunicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(node_of_.size()); }
  bool one_node() const { return nodes_ == 1; }
  int nodes() const { return nodes_; }

  // The ranks of this rank's node, in the order of the communicator.
  Node& node() { return *node_; }
  bool leads() const { return node_->rank() == 0; }
  // The first ranks of all nodes, in the order of the nodes; MPI_COMM_NULL on other ranks, and
  // where there is one node only.
  MPI_Comm leaders() const { return leaders_; }

  // Nodes are counted in the order of their first ranks.
  int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  int this_node() const { return node_of(rank_); }
  int rank_on_node(int rank) const { return rank_on_node_[static_cast<std::size_t>(rank)]; }
  int ranks_on_node(int node) const { return ranks_on_node_[static_cast<std::size_t>(node)]; }

 private:
  SharedCommunicator() = default;
  static int create(MPI_Comm comm, std::unique_ptr<SharedCommunicator>& made);
  static int look_up(MPI_Comm comm, SharedCommunicator*& found);
  int number_nodes(MPI_Comm comm, MPI_Comm node);

  std::unique_ptr<Node> node_;
  MPI_Comm leaders_ = MPI_COMM_NULL;
  int rank_ = 0;
  int nodes_ = 0;
  std::vector<int> node_of_;
  std::vector<int> rank_on_node_;
  std::vector<int> ranks_on_node_;
};

}  // namespace leadline
