/* Says where each rank runs, then ends or computes for ever, as its argument says. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, length;
  char host[MPI_MAX_PROCESSOR_NAME], cpus[8192] = "";
  cpu_set_t allowed;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_processor_name(host, &length);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &allowed)) sprintf(cpus + strlen(cpus), "%s%d", *cpus ? "," : "", cpu);
  const char* given = getenv("GIVEN");
  printf("rank=%d;host=%s;pid=%d;cpus=%s;given=%s\n", rank, host, (int)getpid(), cpus,
         given ? given : "");
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && !strcmp(argv[1], "spin"))
    for (volatile int forever = 1; forever;) {
    }
  MPI_Finalize();
  return 0;
}
