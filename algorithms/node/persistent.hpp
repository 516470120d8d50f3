// Collectives of the ranks of one node that are prepared once and started again and again (MPI 4.1,
// section 6.13).
//
// A rank that starts one copies what the others need of it to shared memory, and goes on: it never
// waits there. Whoever completes it waits until all have started it, and takes what it needs from
// where they put it. So a rank needs of the others that they start it, but not that they are in any
// call meanwhile, as MPI promises.
//
// Two places for each rank are enough without any word that data were taken: a rank that starts the
// k-th has completed the one before, for which all ranks had started that, and so completed the
// (k-2)th, whose place it takes. Two ranks need one place each: in turn they write to what they
// have read the last time, which lies in their own caches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "algorithms/copy/copy.hpp"
#include "algorithms/node/awaited.hpp"
#include "algorithms/node/node.hpp"
#include "algorithms/node/segment.hpp"
#include "algorithms/node/service.hpp"

namespace leadline::node {

class Persistent : public Awaited {
 public:
  // The ranks of a node and their memory, which is zero before any of them goes on.
  struct Ranks {
    Segment segment;
    int rank;
    int size;
  };
  // Of each rank's part of the segment, where a rank gives the others so many bytes.
  static std::size_t bytes_per_rank(int size, std::size_t given);

  // Local. Not before the last one is complete.
  void start();
  // Of what this rank started last.
  bool arrived() final;
  int complete() final;
  void serve_others() final;

 protected:
  // `given` bytes of each rank, the same on all.
  Persistent(Ranks ranks, std::size_t given, Service service);

  int rank() const { return rank_; }
  int size() const { return size_; }
  // What a rank has given.
  const std::byte* of(int rank) const {
    Place& theirs = place(rank);
    return given_ <= Line::kBytes ? theirs.ready.data : theirs.data();
  }

 private:
  // Two cache lines apart: processors fetch them in pairs. Data of one line travel in it.
  struct alignas(128) Place {
    Line ready;
    std::byte* data() { return reinterpret_cast<std::byte*>(this) + sizeof(Place); }
  };
  static int places(int size) { return size == 2 ? 1 : 2; }
  static std::size_t place_bytes(std::size_t given);
  Place& place(int rank) const {
    const auto odd = static_cast<unsigned>(step_ & 1U);
    const bool in_turns = size_ == 2;
    std::byte* const area = segment_.of(in_turns ? rank ^ static_cast<int>(odd) : rank);
    return *reinterpret_cast<Place*>(area + sizeof(Service::Told) +
                                     (in_turns ? 0 : odd * place_bytes_));
  }
  Service::Told& told() const { return *reinterpret_cast<Service::Told*>(segment_.of(0)); }

  // Copies what this rank gives.
  virtual void give(std::byte* to) = 0;
  // Takes what all have given; returns as `complete`.
  virtual int take() = 0;

  Segment segment_;
  int rank_;
  int size_;
  std::size_t given_;
  std::size_t place_bytes_;
  Step step_ = 0;
  int next_ = 0;  // the first rank that was not seen to have started
  Service service_;
};

}  // namespace leadline::node
