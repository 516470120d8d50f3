// Starts a program that prints its environment, or with an argument the one copied before MPI_Init.
#define _GNU_SOURCE
#include <mpi.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** arguments) {
  int variables = 0;
  while (environ[variables] != NULL) ++variables;
  char** const copy = calloc(variables + 1, sizeof *copy);
  for (int i = 0; i < variables; ++i) copy[i] = strdup(environ[i]);
  MPI_Init(&count, &arguments);
  char* words[] = {"env", NULL};
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, "env", NULL, NULL, words, count > 1 ? copy : environ) != 0) return 1;
  waitpid(child, &status, 0);
  MPI_Finalize();
  return status != 0;
}
