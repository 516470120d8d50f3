// What an application spends in MPI, measured call by call on this rank.
#pragma once

#include <mpi.h>

#include <utility>

namespace leadline::probe {

class CommunicationTime {
 public:
  // Calls, and adds the seconds until it returns.
  template <typename Call>
  decltype(auto) of(Call&& call) {
    struct Reading {
      double& total;
      double begin = MPI_Wtime();
      ~Reading() { total += MPI_Wtime() - begin; }
    } const reading{seconds_};
    return std::forward<Call>(call)();
  }
  double seconds() const { return seconds_; }
  void reset() { seconds_ = 0.0; }

 private:
  double seconds_ = 0.0;
};

}  // namespace leadline::probe
