// A barrier by every name that Fortran's compilers give it.
#include <mpi.h>

void mpi_barrier(const MPI_Fint* comm, MPI_Fint* code);
void mpi_barrier_(const MPI_Fint* comm, MPI_Fint* code);
void mpi_barrier__(const MPI_Fint* comm, MPI_Fint* code);
void MPI_BARRIER(const MPI_Fint* comm, MPI_Fint* code);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
  MPI_Fint codes[4] = {-1, -1, -1, -1};
  mpi_barrier(&comm, codes);
  mpi_barrier_(&comm, codes + 1);
  mpi_barrier__(&comm, codes + 2);
  MPI_BARRIER(&comm, codes + 3);
  MPI_Finalize();
  return codes[0] + codes[1] + codes[2] + codes[3];
}
