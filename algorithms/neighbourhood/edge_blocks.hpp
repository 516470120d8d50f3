// The blocks of a neighbourhood collective: where each edge's lies and how long it is.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

// The counts and offsets of a call with large counts. One rank may have some that no int can hold
// where others have none, or call the other form of the collective, and ranks meet no others but
// their neighbours: so all of them take the same algorithm, of one signature. While a thread has
// one of these, EdgeBlocks take its counts and offsets for those of the arguments.
class LargeArguments {
 public:
  struct Side {
    MPI_Count count;
    const MPI_Count* counts;
    const MPI_Aint* offsets;
  };
  LargeArguments(Side out, Side in);
  ~LargeArguments();
  LargeArguments(const LargeArguments&) = delete;
  LargeArguments& operator=(const LargeArguments&) = delete;

  static const LargeArguments* here();

  const Side out;
  const Side in;
};

class EdgeBlocks {
 public:
  // One for all edges; and one after the other, of what a rank sends and what it receives.
  static EdgeBlocks same(const void* address, int count, MPI_Datatype type);
  static EdgeBlocks sent_in_a_row(const void* address, int count, MPI_Datatype type);
  static EdgeBlocks received_in_a_row(void* address, int count, MPI_Datatype type);
  // Each somewhere else: offsets in elements.
  static EdgeBlocks sent_from(const void* address, const int* counts, const int* offsets,
                              MPI_Datatype type);
  static EdgeBlocks received_at(void* address, const int* counts, const int* offsets,
                                MPI_Datatype type);

  const void* buffer() const { return address_; }
  // Whether there are arrays where they are needed.
  bool are_given() const;
  // Where there are edges; elsewhere the type may be none. Before `address`. Returns an MPI error
  // code.
  int describe();
  MPI_Datatype type() const { return type_; }
  MPI_Aint extent() const { return extent_; }
  bool are_the_same() const { return kind_ == Kind::kSame; }
  MPI_Count count(std::size_t edge) const;
  std::byte* address(std::size_t edge) const;

 private:
  enum class Kind { kSame, kRow, kPlaces, kLarge };
  EdgeBlocks(Kind kind, const void* address, MPI_Datatype type);

  Kind kind_;
  std::byte* address_;
  MPI_Datatype type_;
  MPI_Aint extent_ = 0;
  MPI_Count count_ = 0;
  const int* counts_ = nullptr;
  const int* offsets_ = nullptr;
  const LargeArguments::Side* large_ = nullptr;
};

// A message for each edge, all under way at a time. Collective over `comm`, which has a topology or
// was lent one.
int send_along_edges(EdgeBlocks sent, EdgeBlocks received, MPI_Comm comm);

}  // namespace leadline::coll
