// Runs the code of a rank alone: every MPI function that it calls writes down what it would do.
//
// That is enough where what a rank sends and receives depends on nothing but its number, as in all
// collective algorithms and halo exchanges of leadline. No data are touched: buffers are addresses
// in a range that nobody may read or write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "schedules/schedule.hpp"

namespace leadline::replay {

// One rank at a time, in one thread.
class Recorder {
 public:
  // The steps of `rank` of `size` in `program`, which calls MPI. Throws Refused where it calls what
  // cannot be written down.
  static Program record(int rank, int size, const std::function<void()>& program);

  // The rank that is being recorded. Throws std::logic_error where there is none.
  static Recorder& current();

  int rank() const { return rank_; }
  int size() const { return size_; }
  void block(const Step& step);
  // Non-blocking.
  void start(const Step& step);
  // Waits for so many that were started, which have to be all.
  void wait(int count);
  void reduce(std::size_t bytes) { last_.reduced += bytes; }
  void copy(std::size_t bytes) { last_.copied += bytes; }

 private:
  Recorder(int rank, int size) : rank_(rank), size_(size) {}
  void append(const Step& step);
  // The last step is complete: no more work belongs to it.
  void keep_last();

  int rank_;
  int size_;
  int started_ = 0;
  Step last_;
  Program steps_;
};

// An address from which on `bytes` may be given to MPI, but neither read nor written. It is the
// same each time; those of the two sides do not overlap.
enum class Side { kIn, kOut };
std::byte* untouchable(Side side, std::size_t bytes);

// Every schedule in turn, rank by rank: `program(rank)`. `done(rank)` is called now and then.
// Throws Refused beyond `most_steps` in all, and TooMany beyond `most_messages`.
Schedule record_all(
    int size, std::size_t most_steps, const std::function<void(int)>& program,
    const std::function<void(int)>& done = [](int) {},
    std::uint64_t most_messages = std::numeric_limits<std::uint64_t>::max());

}  // namespace leadline::replay
