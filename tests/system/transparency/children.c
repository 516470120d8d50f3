// Prints the environment of what it starts.
#include <mpi.h>
#include <stdlib.h>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  const int failed = system("env | grep -v '^_=' | sort") != 0;
  MPI_Finalize();
  return failed;
}
