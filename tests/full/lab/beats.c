// Sleeps for as many milliseconds as it is told, and meets the other ranks, again and again until
// it is killed. What else runs on the machine does not make the sleep longer.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const struct timespec work = {.tv_sec = 0, .tv_nsec = atol(words[1]) * 1000000};
  for (;;) {
    nanosleep(&work, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
