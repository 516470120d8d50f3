// A communicator of the program's whose collectives leadline carries out.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "algorithms/node_mpi/communicator.hpp"
#include "runtime/engine/agreement.hpp"
#include "runtime/learning/learnt.hpp"
#include "runtime/profile/profile.hpp"

namespace leadline::runtime {

using AnyFunction = void();

struct Learnt;

// A function for each range of bytes, found in a step or two.
class Ranges {
 public:
  using AnyFunction = runtime::AnyFunction;
  struct Range {
    std::size_t to_bytes;   // inclusive
    AnyFunction* function;  // nullptr: the library's own
    const Rule* rule;       // nullptr: none fits
    // What is learnt of it: calls until the next one that is a trial, and what is tried.
    std::int64_t quiet = INT64_MAX;
    std::unique_ptr<Learnt> learnt = nullptr;
  };

  explicit Ranges(std::vector<Range> ranges);

  Range& find(std::size_t bytes) {
    std::size_t i = first_[static_cast<std::size_t>(std::bit_width(bytes))];
    while (bytes > ranges_[i].to_bytes) ++i;
    return ranges_[i];
  }

 private:
  std::vector<Range> ranges_;
  // By the number of bits of a size: the first range in which such a size can lie.
  std::array<std::size_t, 65> first_{};
};

class Adopted {
 public:
  // What leadline made of `comm`: nullptr as long as there is nothing, or for good. Every blocking
  // collective on `comm` asks once, on all ranks, whatever its other arguments are: ranks count
  // the calls to agree when to adopt it, which is collective.
  static Adopted* of(MPI_Comm comm);

  // Collective, at the first call for a communicator; what is alike on the ranks of an
  // intercommunicator or of processes that were spawned is unknown.
  static Alike alike(MPI_Comm comm);

  // Why there is nothing, for the report.
  static const char* why_not(MPI_Comm comm);

  ~Adopted();
  Adopted(const Adopted&) = delete;
  Adopted& operator=(const Adopted&) = delete;

  // Carries nothing but the algorithms' messages; its errors are returned.
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  int nodes() const { return nodes_; }
  // Its nodes' shared memory, if there is any.
  node::SharedCommunicator* shared() const { return shared_; }

  // By what the ranks know it when it is kept for another communicator of theirs; 0: it is not.
  std::uint64_t label() const { return sound_ ? label_ : 0; }
  // Of its ranks in MPI_COMM_WORLD, where it has a label.
  const std::vector<int>& ranks() const { return ranks_; }
  // A call has failed on this rank, and ranks may have come apart: nobody shall have it after.
  void spoil() const { sound_ = false; }
  // How many of them with labels this process has.
  static int labelled();

  // `collective` is the index that KnownCollective gave.
  Ranges::Range& choice(std::size_t collective, std::size_t bytes) {
    return ranges_[collective].find(bytes);
  }

  // Collective at some calls, of which all ranks know: a call of a range, which was a trial, began
  // and ended so.
  void learn(Ranges::Range& range, std::uint64_t begin, std::uint64_t end);

 private:
  Adopted() = default;
  static Adopted* look_up(MPI_Comm comm, bool& decided);
  // Collective. One that is kept, or a new one; nullptr on all ranks where one of them cannot, or
  // where no rule fits. It may be able to `later`, when less is adopted or more may be lost.
  // `devices`: a rank may have memory of a GPU, and it is never taken over.
  static std::unique_ptr<Adopted> adopt(MPI_Comm comm, bool& later, bool& devices);
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
  std::vector<Ranges> ranges_;
};

// A collective that can be replaced, by the name that profiles give it.
struct KnownCollective {
  // Returns the algorithm of a name, or nullptr.
  using Find = Ranges::AnyFunction*(std::string_view name);

  // All, in the order in which they made themselves known.
  static std::vector<KnownCollective>& all();
  // Returns the index of the new one.
  static std::size_t add(const KnownCollective& collective);

  std::string_view name;
  Find* find;
  bool waits_for_all;  // no rank can leave before all have come
};

}  // namespace leadline::runtime
