// The ranks of this node, as their memory and the kernel show them: which move, and which are gone.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "runtime/explain/observer/format.hpp"
#include "runtime/explain/watch/process.hpp"

namespace leadline::explain {

// Seconds of a clock that never goes back.
double now_s();

// A rank that is gone though it had not come to its API's end.
struct Death {
  int index;
  pid_t pid;
  std::optional<int> status;  // as wait(2) has it
  bool has_left;              // it called exit
};

// Calls of a rank: in vain as a rule, and all that are none.
struct Calls {
  u64 tests, others;
};
Calls calls_made(const NodeFile& file, Block& block);

class Ranks {
 public:
  explicit Ranks(const NodeFile& file) : file_(file) {}

  // Whether any process that has begun runs.
  bool any_runs() const { return !running_.empty(); }
  // Whether any of these has not come to its API's end: where none has, the program goes on alone.
  bool is_any_at_work() const;
  // Whether one has called the API's abort.
  bool has_aborted() const;
  // Whether all of these have ended by now.
  bool have_all_ended() const;
  // Whether each has begun at some time.
  bool have_all_begun() const;
  // Waits so long, or until one of them ends; where none runs, until that other process does.
  void wait(double seconds, const Process& other);
  // Those that have ended since this was asked before. Their blocks say so from now on.
  std::vector<Death> take_deaths();
  // Whether one that runs has come a step further since the last time, or works outside its calls.
  // Ranks are looked at until one has moved; the next time may then take a step for new that is
  // older.
  bool has_moved();
  // Whether a signal stopped each of these when they were looked at: somebody has suspended them.
  bool are_all_stopped() const;
  // Whether all others that run are about to end, too.
  bool are_all_ending() const;
  // Whether one is on its way out, or has ended since it was asked for.
  bool is_any_leaving() const;
  std::vector<pid_t> pids() const;

 private:
  struct Seen {
    double when;
    u32 state;
    Calls calls;
    u32 function;
    u64 since;
    double mpi_s;
    Work work;
  };

  void find_new();
  Seen see(int index, pid_t pid) const;
  bool moves(const Seen& before, const Seen& now) const;

  NodeFile file_;
  std::set<u32> known_;             // by place on the node
  std::map<int, Process> running_;  // of these
  std::map<int, Seen> seen_;
};

}  // namespace leadline::explain
