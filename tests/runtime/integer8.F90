! Compiled for default integers of 8 bytes with an MPI whose integers have 4: works because the
! library reads and writes the first half, so what stands in for it has to do the same.
program integer8
   implicit none
   include 'mpif.h'
   integer :: ranks, code
   double precision :: mine(3), sum(3)
   ranks = 0
   code = 0
   call MPI_Init(code)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
   mine = [1d0, 2d0, 3d0]
   call MPI_Allreduce(mine, sum, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
   if (code /= 0 .or. any(sum /= ranks * mine)) error stop 1
   call MPI_Allreduce(MPI_IN_PLACE, mine, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
   if (code /= 0 .or. any(sum /= mine)) error stop 1
   call MPI_Barrier(MPI_COMM_WORLD, code)
   call MPI_Finalize(code)
end program
