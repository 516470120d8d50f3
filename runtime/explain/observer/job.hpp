// What the ranks of a job tell one another, by the API that they are observed in.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/explain/observer/format.hpp"

namespace leadline::explain {

class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Of which the first line is kept.
  virtual std::string library() const = 0;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  // Threads call at the same time.
  virtual bool several_threads() const = 0;

  // All below are collective over the job.

  // Nobody leaves before the last has come.
  virtual void barrier() = 0;

  // The same on ranks that share a node's memory, and on no others.
  virtual u64 node() = 0;
  // What each rank gives, by rank.
  virtual std::vector<u64> gather(u64 own) = 0;
  // So many bytes of one rank come to the first one, kMostBrought at most.
  static constexpr u64 kMostBrought = u64{1} << 20U;
  virtual void bring(int from, std::byte* bytes, u64 size) = 0;
};

}  // namespace leadline::explain
