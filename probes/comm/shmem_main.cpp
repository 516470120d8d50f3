#include <shmem.h>

#include "comm/shmem_world.hpp"
#include "harness/probe.hpp"

extern "C" int leadline_probe_main(int argc, char** argv) {
  int status = leadline::probe::kDone;
  const auto arguments = leadline::probe::begin_probe(argc, argv, "shmem", status);
  if (!arguments) return status;
  shmem_init();
  {
    leadline::probe::ShmemWorld world;
    status = leadline::probe::run_probe(world, *arguments, "shmem");
  }
  shmem_finalize();
  return status;
}
