! Rank 1 sends 0.2 s late to rank 0, which takes any message and wants no status, twice.
program waits
#if BINDING == 3
   use mpi_f08
   implicit none
   type(MPI_Request) :: requests(2)
#else
   use mpi
   implicit none
   integer :: requests(2)
#endif
   integer :: rank, values(2)
   double precision :: begin
   values = 0
   call MPI_Init(values(1))
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, values(1))
   call MPI_Barrier(MPI_COMM_WORLD, values(1))
   if (rank == 1) then
      call be_late()
      call MPI_Send(values(1), 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, values(2))
      call be_late()
      call MPI_Send(values(1), 1, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, values(2))
      call MPI_Send(values(1), 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, values(2))
   else if (rank == 0) then
      call MPI_Recv(values(1), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, values(2))
      call MPI_Irecv(values(1), 1, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, requests(1), rank)
      call MPI_Irecv(values(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, requests(2), &
                     rank)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, rank)
   end if
   call MPI_Finalize(rank)
contains
   subroutine be_late()
      begin = MPI_Wtime()
      do while (MPI_Wtime() < begin + 0.2d0)
      end do
   end subroutine
end program
