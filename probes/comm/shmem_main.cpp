#include <shmem.h>

#include "comm/shmem_world.hpp"
#include "harness/probe.hpp"

int main(int argc, char** argv) {
  int status = leadline::kDone;
  const auto arguments = leadline::begin_probe(argc, argv, "shmem", status);
  if (!arguments) return status;
  shmem_init();
  {
    leadline::ShmemWorld world;
    status = leadline::run_probe(world, *arguments, "shmem");
  }
  shmem_finalize();
  return status;
}
