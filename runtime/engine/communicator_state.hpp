// A communicator of the program's whose collectives leadline carries out.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/node_mpi/communicator.hpp"
#include "runtime/engine/agreement.hpp"
#include "runtime/engine/ranges.hpp"

namespace leadline::runtime {

class CommunicatorState {
 public:
  // What leadline made of `comm`: nullptr as long as there is nothing, or for good. Every blocking
  // collective on `comm` asks once, on all ranks, whatever its other arguments are: ranks count
  // the calls to agree when to adopt it, which is collective.
  static CommunicatorState* of(MPI_Comm comm);

  // Collective, at the first call for a communicator; what is alike on the ranks of an
  // intercommunicator or of processes that were spawned is unknown.
  static Alike alike(MPI_Comm comm);

  // Why there is nothing, for the report.
  static const char* why_not(MPI_Comm comm);

  ~CommunicatorState();
  CommunicatorState(const CommunicatorState&) = delete;
  CommunicatorState& operator=(const CommunicatorState&) = delete;

  // Carries nothing but the algorithms' messages; its errors are returned.
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  int nodes() const { return nodes_; }
  // Whether its ranks are on one node, whose clock all of them read.
  bool one_clock() const { return one_clock_; }

  // By what the ranks know it when it is kept for another communicator of theirs; 0: it is not.
  std::uint64_t label() const { return sound_ ? label_ : 0; }
  // Of its ranks in MPI_COMM_WORLD, where it has a label.
  const std::vector<int>& ranks() const { return ranks_; }
  // A call has failed on this rank, and ranks may have come apart: nobody shall have it after.
  void spoil() const { sound_ = false; }

  // `collective` is the index that KnownCollective gave.
  SizeRange& choice(std::size_t collective, std::size_t bytes) {
    return ranges_[collective].find(bytes);
  }

 private:
  CommunicatorState() = default;
  static CommunicatorState* look_up(MPI_Comm comm, bool& decided);
  // Collective. One that is kept, or a new one; nullptr on all ranks where one of them cannot, or
  // where no rule fits. It may be able to `later`, when less is adopted or more may be lost.
  // `devices`: a rank may have memory of a GPU, and it is never taken over.
  static std::unique_ptr<CommunicatorState> adopt(MPI_Comm comm, bool& later, bool& devices);
  // Collective. Returns an MPI error code.
  int set_up(MPI_Comm comm, node::Terms own, const node::Terms::Words& all);
  bool take_rules();
  bool one_node() const { return shared_ != nullptr && shared_->one_node(); }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  int nodes_ = 0;
  std::uint64_t label_ = 0;
  std::vector<int> ranks_;
  node::SharedCommunicator* shared_ = nullptr;
  mutable std::atomic<bool> sound_{true};
  bool one_clock_ = false;
  std::vector<SizeRanges> ranges_;
};

}  // namespace leadline::runtime
