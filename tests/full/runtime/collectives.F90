! Every collective that leadline replaces, in place and not, through the binding that BINDING names.
! Sizes are of one that is sent in one piece and of one that is not. Ends with status 1 where a
! result is wrong.
program collectives
#if BINDING == 1
   implicit none
   include 'mpif.h'
#define HANDLE(name) integer
#elif BINDING == 2
   use mpi
   implicit none
#define HANDLE(name) integer
#else
   use mpi_f08
   implicit none
#define HANDLE(name) type(name)
#endif
   integer, parameter :: counts(2) = [3, 20000]
   HANDLE(MPI_Comm) :: world
   integer :: rank, ranks, code, i, wrong
   call MPI_Init(code)
   world = MPI_COMM_WORLD
   call MPI_Comm_rank(world, rank, code)
   call MPI_Comm_size(world, ranks, code)
   wrong = 0
   do i = 1, 2
      call reductions(counts(i))
      call movements(counts(i))
      call at_bottom(counts(i))
   end do
   code = -1
   call MPI_Barrier(world, code)
   call expect(code == MPI_SUCCESS, 'MPI_Barrier returns no success')
#if BINDING == 3
   call MPI_Barrier(world)
#endif
   if (wrong > 0) error stop 1
   call MPI_Finalize(code)

contains

   subroutine expect(condition, what)
      logical, intent(in) :: condition
      character(*), intent(in) :: what
      if (.not. condition) then
         wrong = wrong + 1
         print *, 'rank', rank, ': wrong: ', what
      end if
   end subroutine

   ! The element `i` of what a rank contributes.
   elemental double precision function element(of_rank, i)
      integer, intent(in) :: of_rank, i
      element = 1000 * of_rank + mod(i, 1000)
   end function

   elemental double precision function summed(i)
      integer, intent(in) :: i
      summed = 500 * ranks * (ranks - 1) + ranks * mod(i, 1000)
   end function

   subroutine reductions(n)
      integer, intent(in) :: n
      double precision :: mine(n), sum(n)
      double precision :: blocks(n * ranks)
      integer :: j
      mine = [(element(rank, j), j = 1, n)]
      sum = 0
      code = -1
      call MPI_Allreduce(mine, sum, n, MPI_DOUBLE_PRECISION, MPI_SUM, world, code)
      call expect(code == MPI_SUCCESS .and. all(sum == [(summed(j), j = 1, n)]), 'allreduce')
      sum = mine
      call MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_DOUBLE_PRECISION, MPI_SUM, world, code)
      call expect(all(sum == [(summed(j), j = 1, n)]), 'allreduce in place')

      sum = 0
      call MPI_Reduce(mine, sum, n, MPI_DOUBLE_PRECISION, MPI_SUM, ranks - 1, world, code)
      if (rank == ranks - 1) call expect(all(sum == [(summed(j), j = 1, n)]), 'reduce')
      sum = mine
      if (rank == 0) then
         call MPI_Reduce(MPI_IN_PLACE, sum, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, world, code)
         call expect(all(sum == [(summed(j), j = 1, n)]), 'reduce in place')
      else
         call MPI_Reduce(mine, sum, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, world, code)
      end if

      blocks = [(element(rank, j), j = 1, n * ranks)]
      sum = 0
      call MPI_Reduce_scatter_block(blocks, sum, n, MPI_DOUBLE_PRECISION, MPI_SUM, world, code)
      call expect(all(sum == [(summed(n * rank + j), j = 1, n)]), 'reduce_scatter_block')
      call MPI_Reduce_scatter_block(MPI_IN_PLACE, blocks, n, MPI_DOUBLE_PRECISION, MPI_SUM, &
                                    world, code)
      call expect(all(blocks(1:n) == [(summed(n * rank + j), j = 1, n)]), &
                  'reduce_scatter_block in place')
   end subroutine

   subroutine movements(n)
      integer, intent(in) :: n
      double precision :: mine(n), to(n * ranks), from(n * ranks), all_ranks(n * ranks)
      integer :: j, other
      mine = 0
      if (rank == 0) mine = [(element(7, j), j = 1, n)]
      call MPI_Bcast(mine, n, MPI_DOUBLE_PRECISION, 0, world, code)
      call expect(all(mine == [(element(7, j), j = 1, n)]), 'bcast')

      all_ranks = [((element(other, j), j = 1, n), other = 0, ranks - 1)]
      mine = [(element(rank, j), j = 1, n)]
      from = 0
      call MPI_Allgather(mine, n, MPI_DOUBLE_PRECISION, from, n, MPI_DOUBLE_PRECISION, world, code)
      call expect(all(from == all_ranks), 'allgather')
      from = 0
      from(n * rank + 1:n * rank + n) = mine
      call MPI_Allgather(MPI_IN_PLACE, n, MPI_DOUBLE_PRECISION, from, n, MPI_DOUBLE_PRECISION, &
                         world, code)
      call expect(all(from == all_ranks), 'allgather in place')

      to = [((element(rank, other + j), j = 1, n), other = 0, ranks - 1)]
      from = 0
      call MPI_Alltoall(to, n, MPI_DOUBLE_PRECISION, from, n, MPI_DOUBLE_PRECISION, world, code)
      call expect(all(from == [((element(other, rank + j), j = 1, n), other = 0, ranks - 1)]), &
                  'alltoall')
      call MPI_Alltoall(MPI_IN_PLACE, n, MPI_DOUBLE_PRECISION, to, n, MPI_DOUBLE_PRECISION, &
                        world, code)
      call expect(all(to == from), 'alltoall in place')
   end subroutine

   ! A buffer whose address is in its datatype.
   subroutine at_bottom(n)
      integer, intent(in) :: n
      double precision, asynchronous :: data(n)
      HANDLE(MPI_Datatype) :: there
      integer(MPI_ADDRESS_KIND) :: places(1)
      integer :: lengths(1), j
      data = 0
      if (rank == 0) data = [(element(5, j), j = 1, n)]
      call MPI_Get_address(data, places(1), code)
      lengths = n
      call MPI_Type_create_hindexed(1, lengths, places, MPI_DOUBLE_PRECISION, there, code)
      call MPI_Type_commit(there, code)
      call MPI_Bcast(MPI_BOTTOM, 1, there, 0, world, code)
      call touch(data)
      call expect(all(data == [(element(5, j), j = 1, n)]), 'bcast at MPI_BOTTOM')
      call MPI_Type_free(there, code)
   end subroutine

   ! Tells the compiler that data may have changed.
   subroutine touch(data)
      double precision, asynchronous, intent(inout) :: data(:)
      if (rank < 0) data = 0
   end subroutine
end program
