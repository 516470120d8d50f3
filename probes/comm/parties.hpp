// One job shared by those who measure and those who disturb them.
//
// The job's nodes in their order: first those that measure, then idle ones, as many as a point
// asks for, then the neighbour's, then the rest, idle too. In a job on one node processes take the
// place of nodes.
#pragma once

#include <mpi.h>

#include <map>
#include <string>

#include "harness/neighbour.hpp"

namespace leadline::probe {

class Parties : public Neighbour {
 public:
  // Collective over MPI_COMM_WORLD, which `victims` and `neighbours` say how to split, in nodes.
  // Ends all ranks, with one line, where there are fewer. With `victims` 0 all ranks measure.
  Parties(int victims, int neighbours);
  ~Parties() override;
  Parties(const Parties&) = delete;
  Parties& operator=(const Parties&) = delete;

  bool measures() const { return measuring_ != MPI_COMM_NULL; }
  // Those that measure; MPI_COMM_WORLD where all do. Rank 0 of the job is rank 0 there.
  MPI_Comm measuring() const { return measuring_; }

  // On the ranks that do not measure: carries out what those that do ask for, until they end it.
  // Returns the exit status; on a failure prints one line and ends all ranks.
  int serve();
  // On the ranks that measure, collective: lets the others go.
  void end();

  void start(const Point& point) override;
  std::map<std::string, double> stop() override;

 private:
  struct Order;

  void issue(Order order);
  Order await_order();
  void carry_out(const Order& order);

  int victims_;
  int neighbours_;
  int unit_ = 0;   // this rank's node, or in a job on one node its rank
  int units_ = 0;  // nodes, or processes
  MPI_Comm measuring_ = MPI_COMM_WORLD;
  MPI_Comm others_ = MPI_COMM_NULL;  // all that do not measure
  MPI_Comm orders_ = MPI_COMM_NULL;  // rank 0 of those that measure, and all others
  int rank_ = 0;                     // among those that measure
  int running_ = MPI_PROC_NULL;      // the neighbour's first process, in `orders_`
  bool asked_ = false;               // something runs beside the point
};

}  // namespace leadline::probe
