! Calls once what has LOGICAL arguments in mpi_f08, and some of what has none. Two ranks.
program modules
   use mpi_f08
   implicit none
   type(MPI_Request) :: request, requests(2)
   type(MPI_Message) :: message
   type(MPI_Comm) :: grid, made
   type(MPI_File) :: file
   type(MPI_Win) :: window
   type(MPI_Group) :: all, partner
   integer(kind=MPI_ADDRESS_KIND), parameter :: four_bytes = 4
   integer :: rank, other, index, count, indices(2), received, memory
   logical :: flag
   character(len=4096) :: path
   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   other = 1 - rank
   ! Nothing is sent before the barrier.
   call MPI_Irecv(received, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, request)
   requests = [request, MPI_REQUEST_NULL]
   call MPI_Test(request, flag, MPI_STATUS_IGNORE)
   call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE)
   call MPI_Testany(2, requests, index, flag, MPI_STATUS_IGNORE)
   call MPI_Testsome(2, requests, count, indices, MPI_STATUSES_IGNORE)
   call MPI_Request_get_status(request, flag, MPI_STATUS_IGNORE)
   call MPI_Iprobe(other, 2, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
   call MPI_Improbe(other, 2, MPI_COMM_WORLD, flag, message, MPI_STATUS_IGNORE)
   call MPI_Barrier(MPI_COMM_WORLD)
   call MPI_Send(rank, 1, MPI_INTEGER, other, 1, MPI_COMM_WORLD)
   call MPI_Wait(request, MPI_STATUS_IGNORE)
   if (received /= other) error stop 'received something else'

   call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, 1], [.false., .false.], .false., grid)
   call MPI_Cart_sub(grid, [.true., .false.], made)
   call MPI_Graph_create(MPI_COMM_WORLD, 2, [1, 2], [1, 0], .false., made)
   call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [other], [1], 1, [other], [1], &
                                       MPI_INFO_NULL, .false., made)
   call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [rank], [1], [other], [1], MPI_INFO_NULL, &
                              .false., made)
   call MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other, 3, made)
   call MPI_Intercomm_merge(made, rank == 1, made)

   call get_command_argument(1, path)
   call MPI_File_open(MPI_COMM_WORLD, trim(path), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, &
                      file)
   call MPI_File_set_atomicity(file, .true.)
   call MPI_File_close(file)

   call MPI_Win_create(memory, four_bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
   call MPI_Win_get_group(window, all)
   call MPI_Group_incl(all, 1, [other], partner)
   call MPI_Win_post(partner, 0, window)
   call MPI_Win_start(partner, 0, window)
   call MPI_Win_complete(window)
   call MPI_Barrier(MPI_COMM_WORLD)
   call MPI_Win_test(window, flag)
   if (.not. flag) call MPI_Win_wait(window)
   call MPI_Win_free(window)
   call MPI_Finalize()
end program
