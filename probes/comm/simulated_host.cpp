// A host of SimGrid in place of one with an operating system: one exact clock for all, no cores
// that others could take, no control variables.
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/host.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "comm/host.hpp"
#include "comm/mpi_controls.hpp"
#include "comm/simulated_messages.hpp"
#include "harness/simulation.hpp"

// SimGrid has these in its library and in no header of its own.
namespace simgrid::smpi::colls {
void set_bcast(const std::string& algorithm);
void set_collectives();
}  // namespace simgrid::smpi::colls

namespace leadline::probe {

double monotonic_seconds() { return MPI_Wtime(); }

const char* monotonic_source() { return "MPI_Wtime of the simulator"; }

KernelClock host_clock() { return {1, 0.0}; }

int host_number() {
  // Of the hosts that ranks have asked for: the ranks of all hosts share what is static.
  static std::map<std::string, int> numbers;
  return numbers.emplace(sg_host_self_get_name(), static_cast<int>(numbers.size())).first->second;
}

long simulated_rank() { return sg_actor_self_get_pid(); }

double spin_until(double time) {
  const double now = MPI_Wtime();
  if (now >= time) return now;
  sg_actor_sleep_for(time - now);
  return time;
}

Counters thread_counters() { return {}; }

double thread_waited() { return 0.0; }

double core_stolen() { return 0.0; }

RankPlace host_place(int rank, int node) {
  RankPlace place;
  place.rank = rank;
  place.node = node;
  std::snprintf(place.host, sizeof place.host, "%s", sg_host_self_get_name());
  return place;
}

void enter_host() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) shape_messages();
  // Whatever makes a communicator broadcasts its number in it, and the broadcasts of SMPI's
  // selections begin with as many messages as there are pairs of ranks.
  simgrid::smpi::colls::set_bcast("binomial_tree");
}

void settle_host() { simgrid::smpi::colls::set_collectives(); }

void leave_host() {
  on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        std::_Exit(status);
      },
      nullptr);
}

std::string list_controls() { return R"({"controls": [], "counters": []})"; }

std::optional<std::string> control_value(const std::string&) { return std::nullopt; }

}  // namespace leadline::probe
