/* Says where each rank runs, and with which others as MPI sees nodes (the lowest of them), then
 * ends, leaves without a word to MPI, or computes for ever, as its argument says. */
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
  int node = rank;
  MPI_Comm shared;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
  MPI_Bcast(&node, 1, MPI_INT, 0, shared);
  MPI_Comm_free(&shared);
  const char* given = getenv("GIVEN");
  printf("rank=%d;host=%s;node=%d;pid=%d;cpus=%s;given=%s\n", rank, host, node, (int)getpid(), cpus,
         given ? given : "");
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && !strcmp(argv[1], "spin"))
    for (volatile int forever = 1; forever;) {
    }
  if (argc > 1 && !strcmp(argv[1], "leave")) _exit(0);
  MPI_Finalize();
  return 0;
}
