// Which functions of MPI 4 there are, as programs ask that were built for several libraries.
#include <mpi.h>
#include <stdio.h>

extern const char allreduce_c[] __asm__("MPI_Allreduce_c") __attribute__((weak));
extern const char isend_c[] __asm__("MPI_Isend_c") __attribute__((weak));
extern const char isendrecv[] __asm__("MPI_Isendrecv") __attribute__((weak));

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("%d %d %d\n", allreduce_c != NULL, isend_c != NULL, isendrecv != NULL);
  MPI_Finalize();
  return 0;
}
