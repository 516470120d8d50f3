// Small non-blocking collectives of the ranks of one node (MPI 4.1, section 6.12), any number of
// which may be outstanding.
//
// All ranks start them in the same order, so they have the same number on all. A rank that starts
// the s-th copies what the others need of it to its place s mod kPlaces, and goes on: it never
// waits there. Whoever completes it waits until the others have done so, and takes what it needs
// from their places. So a rank needs of the others that they start it, but not that they are in any
// call meanwhile.
//
// The place of number s is used again by s + kPlaces, when all ranks have taken what s gave. A rank
// that starts another one takes what has arrived for its older ones, whether the program has asked
// for them or not. A rank may still be too far behind. The others must not wait for it, and all
// must leave the collectives to the library from the same number on. One word that all ranks share
// settles that number: it holds the last number granted, and whether that is final. A rank whose
// next number is not granted either grants as many more as there are free places, or makes the last
// one final. The first to write decides for all.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "algorithms/node/awaited.hpp"
#include "algorithms/node/node.hpp"
#include "algorithms/node/segment.hpp"
#include "algorithms/node/service.hpp"

namespace leadline::node {

class Outstanding {
 public:
  static constexpr Step kPlaces = 64;
  // What a rank gives at most.
  static constexpr std::size_t kMostBytes = 1024;
  // Of each rank's part of the segment; a multiple of 128.
  static std::size_t bytes_per_rank() { return sizeof(Part); }

  // One of them. Used by one thread at a time, but others of the process may start and complete
  // other ones meanwhile.
  class Operation : public Awaited {
   public:
    // Others do not wait for this rank to have taken anything.
    ~Operation() override;
    bool arrived() final;
    int complete() final;
    void serve_others() final;

   protected:
    // `given` bytes of each rank, the same on all.
    explicit Operation(std::size_t given) : given_(given) {}
    // What a rank has given, this one too.
    const std::byte* of(int rank) const;
    int rank() const { return of_->rank_; }
    int size() const { return of_->size_; }

   private:
    friend class Outstanding;
    // Copies what this rank gives.
    virtual void give(std::byte* to) = 0;
    // Takes what all have given; returns as `complete`.
    virtual int take() = 0;

    const std::size_t given_;
    std::shared_ptr<Outstanding> of_;
    std::unique_ptr<Service> service_;
    Step number_ = 0;
    std::atomic<int> next_{0};  // the first rank that was not seen to have started it
    bool taken_ = false;        // with the lock of all
    int code_ = 0;
  };

  // Memory that is zero before any rank goes on. `new_service` is called as often as there are
  // operations at a time.
  Outstanding(Segment segment, int rank, int size,
              std::function<std::unique_ptr<Service>()> new_service);
  Outstanding(const Outstanding&) = delete;
  Outstanding& operator=(const Outstanding&) = delete;

  // Local. False on all ranks where too many are outstanding: then it has no number, and neither
  // has any after it.
  static bool start(const std::shared_ptr<Outstanding>& all, Operation& operation);

 private:
  static constexpr std::uint64_t kFinal = std::uint64_t{1} << 63U;
  // Ranks take what has arrived for others than the last so many.
  static constexpr Step kUntaken = kPlaces / 4;

  // Two cache lines apart: processors fetch them in pairs.
  struct alignas(128) Word {
    std::atomic<std::uint64_t> value;
  };
  struct alignas(128) Place {
    Line ready;  // with data of one line at most
  };
  struct Part {
    Word granted;           // the first rank's, for all
    Service::Told traffic;  // the same
    Word taken;             // the number up to which this rank has taken all
    Place places[kPlaces];
    std::byte data[kPlaces][kMostBytes];
  };

  Part& part(int rank) const { return *reinterpret_cast<Part*>(segment_.of(rank)); }
  Place& place(int rank, Step number) const { return part(rank).places[number % kPlaces]; }
  std::byte* data(int rank, Step number, std::size_t bytes) const {
    return bytes <= Line::kBytes ? place(rank, number).ready.data
                                 : part(rank).data[number % kPlaces];
  }

  bool is_granted(Step number);
  Step taken_by_all() const;
  bool all_have_started(const Operation& operation, int& next) const;
  // With the lock:
  std::unique_ptr<Service> idle_service();
  void take_what_arrived();
  void take(Operation& operation);
  void drop(Operation& operation);

  const Segment segment_;
  const int rank_;
  const int size_;
  const std::function<std::unique_ptr<Service>()> new_service_;
  std::mutex lock_;
  Step started_ = 0;
  Step taken_ = 0;    // the last number up to which this rank has taken all
  Step granted_ = 0;  // as this rank knows it
  bool final_ = false;
  std::array<Operation*, kPlaces> untaken_{};  // by place
  std::vector<std::unique_ptr<Service>> idle_;
};

}  // namespace leadline::node
