#include <mpi.h>

#include "harness/probe.hpp"
#include "worlds/mpi_world.hpp"

int main(int argc, char** argv) {
  int status = leadline::kDone;
  const auto arguments = leadline::begin_probe(argc, argv, "mpi", status);
  if (!arguments) return status;
  MPI_Init(&argc, &argv);
  {
    leadline::MpiWorld world;
    status = leadline::run_probe(world, *arguments, "mpi");
  }
  MPI_Finalize();
  return status;
}
