! Compiled with default integers of 8 bytes: collectives through mpif.h, whose library may read 4 of
! them. Ends with status 1 where a result is wrong.
program wide
   implicit none
   include 'mpif.h'
   integer, parameter :: count = 1000
   integer, parameter :: codes = 7
   ! The library may write 4 bytes of what it returns.
   integer :: rank = 0, ranks = 0, code(codes) = 0, world
   integer :: mine(count), all(count), blocks(2*count)
   double precision :: real_mine(count), real_all(count)
   integer :: i, times
   call MPI_Init(code(1))
   world = MPI_COMM_WORLD
   call MPI_Comm_rank(world, rank, code(1))
   call MPI_Comm_size(world, ranks, code(1))
   if (storage_size(rank) /= 64 .or. ranks /= 2) error stop 2
   do times = 1, 10
      mine = [(2_8**40*(rank + 1) + i, i=1, count)]
      real_mine = 0.5d0*mine
      call MPI_Barrier(world, code(1))
      call MPI_Allreduce(mine, all, count, MPI_INTEGER8, MPI_SUM, world, code(2))
      if (any(all /= [(3*2_8**40 + 2*i, i=1, count)])) error stop 3
      call MPI_Allreduce(real_mine, real_all, count, MPI_DOUBLE_PRECISION, MPI_MAX, world, code(3))
      if (any(real_all /= [(0.5d0*(2_8**41 + i), i=1, count)])) error stop 4
      call MPI_Allgather(mine, count, MPI_INTEGER8, blocks, count, MPI_INTEGER8, world, code(4))
      if (blocks(1) /= 2_8**40 + 1 .or. blocks(count + 1) /= 2_8**41 + 1) error stop 5
      all = -1
      call MPI_Reduce(mine, all, count, MPI_INTEGER8, MPI_SUM, 1, world, code(5))
      if (rank == 1 .and. any(all /= [(3*2_8**40 + 2*i, i=1, count)])) error stop 6
      call MPI_Bcast(mine, count, MPI_INTEGER8, 1, world, code(6))
      if (mine(count) /= 2_8**41 + count) error stop 7
   end do
   if (any(code /= MPI_SUCCESS)) error stop 8
   call MPI_Finalize(code(7))
end program
