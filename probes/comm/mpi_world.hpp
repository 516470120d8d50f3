// Ranks of a communicator of MPI.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <optional>
#include <string>
#include <utility>

#include "harness/simulation.hpp"
#include "harness/world.hpp"

namespace leadline::probe {

// Prints one line with the call, MPI's error class and text, the rank and the point, and ends all
// ranks, unless `code` is MPI_SUCCESS.
void require_success(int code, const char* call);

// Around every MPI call whose failure matters: MPI_REQUIRE(MPI_Send(...)).
#define MPI_REQUIRE(call) ::leadline::probe::require_success((call), #call)

// The major and minor number of the library's release where it calls itself by these words, such as
// "MPICH Version:"; nothing where it is another one.
std::optional<std::pair<int, int>> library_release(const std::string& words);

// The library's function of that name and type; nullptr where it is older than the function.
template <typename Function>
Function* newer_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// The communicator that benchmarks use: all ranks that measure, errors returned, nobody else's
// messages.
MPI_Comm benchmark_communicator();

// Says which ranks those are, for as long as it lives. Collective over `ranks`.
class BenchmarkRanks {
 public:
  explicit BenchmarkRanks(MPI_Comm ranks);
  ~BenchmarkRanks();
  BenchmarkRanks(const BenchmarkRanks&) = delete;
  BenchmarkRanks& operator=(const BenchmarkRanks&) = delete;
};

class MpiWorld : public World {
 public:
  // MPI must be initialised; collective over `ranks`.
  explicit MpiWorld(MPI_Comm ranks);
  ~MpiWorld() override;
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  void send(const void* data, std::size_t bytes, int to) override;
  void receive(void* data, std::size_t bytes, int from) override;
  void exchange(const void* out, std::size_t out_bytes, int to, void* in, std::size_t in_bytes,
                int from) override;
  int leader(int node) const override;
  int member(int index) const override;
  double now() const override;
  bool clock_shared() const override { return true; }
  double wait_until(double time) const override;
  const char* clock_source() const override;
  KernelClock kernel_clock() const override;
  bool simulated() const override { return kSimulated; }
  Counters counters() const override;
  double waited() const override;
  double stolen() const override;
  RankPlace place() const override;
  std::string library() const override;
  std::string standard() const override;
  std::optional<std::string> control(const std::string& name) const override;
  [[noreturn]] void abort(int status) override;

 private:
  MPI_Comm harness_;  // all ranks, for the harness alone
  MPI_Comm node_comm_;
  MPI_Comm leaders_comm_ = MPI_COMM_NULL;  // on node leaders only
  MPI_Group all_group_;
  MPI_Group node_group_;
  MPI_Group leaders_group_ = MPI_GROUP_NULL;
};

}  // namespace leadline::probe
