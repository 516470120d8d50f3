// The ranks of a probe and what the harness needs of them: to send bytes to each other, to know
// which of them share a node, and to read a clock. Everything else is built on this
// (coordinate.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace leadline::probe {

// What the operating system did to a rank so far.
struct Counters {
  std::int64_t involuntary_switches = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t page_faults = 0;
  int cpu = -1;
};

// Where a rank really runs.
struct RankPlace {
  int rank = 0;
  int node = 0;
  int cpu = -1;
  int pid = 0;
  char host[64] = {};
  char cpus[128] = {};  // the cores it may use, as a list such as 0-3,8
};

// Which kernel's clock a rank reads, 0 where that is not known, and by how many seconds what it
// reads is ahead of that clock. Ranks of one kernel know their clocks' true difference.
struct KernelClock {
  std::uint64_t kernel = 0;
  double ahead = 0.0;
};

class World {
 public:
  virtual ~World() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int node() const { return node_; }            // index of this rank's node
  int nodes() const { return nodes_; }          // number of nodes
  int node_rank() const { return node_rank_; }  // index of this rank within its node
  int node_size() const { return node_size_; }

  virtual void send(const void* data, std::size_t bytes, int to) = 0;
  virtual void receive(void* data, std::size_t bytes, int from) = 0;
  // Both at once, without deadlock when every rank does it.
  virtual void exchange(const void* out, std::size_t out_bytes, int to, void* in,
                        std::size_t in_bytes, int from) = 0;

  // The rank with index 0 within that node. Only such ranks may ask.
  virtual int leader(int node) const = 0;
  // The rank with that index within this node.
  virtual int member(int index) const = 0;

  // This rank's clock in seconds. Ranks of one node share it where `clock_shared` says so.
  virtual double now() const = 0;
  virtual bool clock_shared() const = 0;
  // Waits until this rank's clock shows `time`, and returns what it then shows.
  virtual double wait_until(double time) const = 0;
  virtual const char* clock_source() const = 0;
  // As of the last `now`.
  virtual KernelClock kernel_clock() const = 0;

  // Whether time is computed and not measured: all ranks have one exact clock, which only waiting
  // and communication move, and whatever is done again takes as long again.
  virtual bool simulated() const { return false; }
  // How many times as long everything between cores takes now in the launch of that seed, where
  // that is declared and not measured.
  virtual std::optional<double> slowness(std::uint64_t) const { return std::nullopt; }

  virtual Counters counters() const = 0;
  // Seconds so far for which this rank waited for a core that others used; 0 where it is not known.
  virtual double waited() const = 0;
  // Seconds so far that the hypervisor took from this rank's core, in steps of its accounting.
  virtual double stolen() const = 0;
  virtual RankPlace place() const = 0;
  virtual std::string library() const = 0;   // the library's own words, one line
  virtual std::string standard() const = 0;  // of the standard, such as 4.1
  // What the library's control variable of that name is set to; nothing where it has none.
  virtual std::optional<std::string> control(const std::string&) const { return std::nullopt; }

  // Ends every rank; does not return.
  [[noreturn]] virtual void abort(int status) = 0;

 protected:
  int rank_ = 0;
  int size_ = 1;
  int node_ = 0;
  int nodes_ = 1;
  int node_rank_ = 0;
  int node_size_ = 1;
};

}  // namespace leadline::probe
