#include <mpi.h>

#include <cstdio>
#include <string_view>

#include "comm/host.hpp"
#include "comm/mpi_controls.hpp"
#include "comm/mpi_world.hpp"
#include "comm/parties.hpp"
#include "congestors/alone.hpp"
#include "harness/coordinate.hpp"
#include "harness/probe.hpp"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--controls") {
    std::puts(leadline::list_controls().c_str());
    return leadline::kDone;
  }
  int status = leadline::kDone;
  const auto arguments = leadline::begin_probe(argc, argv, "mpi", status);
  if (!arguments) return status;
  MPI_Init(&argc, &argv);
  leadline::enter_host();
  if (!arguments->congest.empty()) {
    status = leadline::congest_alone(*arguments);
  } else {
    leadline::Parties parties(arguments->victims, arguments->neighbours);
    if (parties.measures()) {
      leadline::MpiWorld world(parties.measuring());
      const leadline::BenchmarkRanks benchmarks(parties.measuring());
      leadline::barrier(world);
      leadline::settle_host();
      status = leadline::run_probe(world, *arguments, "mpi", &parties);
      parties.end();
    } else {
      status = parties.serve();
    }
  }
  MPI_Finalize();
  leadline::leave_host();
  return status;
}
