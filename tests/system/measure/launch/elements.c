/* The SHMEM twin of ranks.c. */
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  shmem_init();
  char host[256] = "", cpus[8192] = "";
  cpu_set_t allowed;
  gethostname(host, sizeof host - 1);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &allowed)) sprintf(cpus + strlen(cpus), "%s%d", *cpus ? "," : "", cpu);
  const char* given = getenv("GIVEN");
  printf("rank=%d;host=%s;pid=%d;cpus=%s;given=%s\n", shmem_my_pe(), host, (int)getpid(), cpus,
         given ? given : "");
  fflush(stdout);
  shmem_barrier_all();
  if (argc > 1 && !strcmp(argv[1], "spin"))
    for (volatile int forever = 1; forever;) {
    }
  if (argc > 1 && !strcmp(argv[1], "leave")) _exit(0);
  shmem_finalize();
  return 0;
}
