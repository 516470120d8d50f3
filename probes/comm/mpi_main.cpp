#include <mpi.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "comm/host.hpp"
#include "comm/mpi_abi.hpp"
#include "comm/mpi_controls.hpp"
#include "comm/mpi_world.hpp"
#include "comm/parties.hpp"
#include "congestors/alone.hpp"
#include "harness/coordinate.hpp"
#include "harness/probe.hpp"
#include "harness/simulation.hpp"

extern "C" int leadline_probe_main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--controls") {
    std::puts(leadline::probe::list_controls().c_str());
    return leadline::probe::kDone;
  }
  int status = leadline::probe::kDone;
  const auto arguments = leadline::probe::begin_probe(argc, argv, "mpi", status);
  if (!arguments) return status;
  MPI_Init(&argc, &argv);
  const std::string difference =
      leadline::probe::kSimulated ? std::string() : leadline::probe::abi_difference();
  if (!difference.empty()) {
    leadline::probe::report_failure(
        "compiled for another MPI than the library that is loaded: they differ in " + difference,
        0);
    MPI_Abort(MPI_COMM_WORLD, leadline::probe::kFailed);
  }
  leadline::probe::enter_host();
  if (!arguments->congest.empty()) {
    status = leadline::probe::congest_alone(*arguments);
  } else {
    leadline::probe::Parties parties(arguments->victims, arguments->neighbours);
    if (parties.measures()) {
      leadline::probe::MpiWorld world(parties.measuring());
      const leadline::probe::BenchmarkRanks benchmarks(parties.measuring());
      leadline::probe::barrier(world);
      leadline::probe::settle_host();
      status = leadline::probe::run_probe(world, *arguments, "mpi", &parties);
      parties.end();
    } else {
      status = parties.serve();
    }
  }
  MPI_Finalize();
  leadline::probe::leave_host();
  return status;
}
