! An operation of the program's that depends on the order of operands.
module order
contains
#if BINDING == 3
   subroutine take_second(left, right, length, datatype)
      use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
      use mpi_f08, only: MPI_Datatype, MPI_INTEGER, operator(/=)
      type(c_ptr), value :: left, right
      integer :: length
      type(MPI_Datatype) :: datatype
      integer, pointer :: first(:), second(:)
      call c_f_pointer(left, first, [length])
      call c_f_pointer(right, second, [length])
      if (datatype /= MPI_INTEGER) second = -1
      where (first > second) second = -1
   end subroutine
#else
   subroutine take_second(left, right, length, datatype)
      use mpi, only: MPI_INTEGER
      integer :: length, datatype
      integer :: left(length), right(length)
      if (datatype /= MPI_INTEGER) right = -1
      where (left > right) right = -1
   end subroutine
#endif
end module

! Every collective that leadline replaces, in place and not, through the binding that BINDING names.
! Sizes are of one that is sent in one piece and of one that is not. Ends with status 1 where a
! result is wrong.
program collectives
   use order, only: take_second
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
#define REALS MPI_DOUBLE_PRECISION
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
      call rooted_movements(counts(i), ranks - 1)
      call uneven_movements(counts(i))
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

   elemental double precision function summed_up_to(last, i)
      integer, intent(in) :: last, i
      summed_up_to = 500 * last * (last - 1) + last * mod(i, 1000)
   end function

   subroutine reductions(n)
      integer, intent(in) :: n
      double precision :: mine(n), sum(n)
      double precision :: blocks(n * ranks)
      integer :: j, lengths(ranks)
      mine = [(element(rank, j), j = 1, n)]
      sum = 0
      code = -1
      call MPI_Allreduce(mine, sum, n, REALS, MPI_SUM, world, code)
      call expect(code == MPI_SUCCESS .and. all(sum == [(summed(j), j = 1, n)]), 'allreduce')
      sum = mine
      call MPI_Allreduce(MPI_IN_PLACE, sum, n, REALS, MPI_SUM, world, code)
      call expect(all(sum == [(summed(j), j = 1, n)]), 'allreduce in place')

      sum = 0
      call MPI_Reduce(mine, sum, n, REALS, MPI_SUM, ranks - 1, world, code)
      if (rank == ranks - 1) call expect(all(sum == [(summed(j), j = 1, n)]), 'reduce')
      sum = mine
      if (rank == 0) then
         call MPI_Reduce(MPI_IN_PLACE, sum, n, REALS, MPI_SUM, 0, world, code)
         call expect(all(sum == [(summed(j), j = 1, n)]), 'reduce in place')
      else
         call MPI_Reduce(mine, sum, n, REALS, MPI_SUM, 0, world, code)
      end if

      blocks = [(element(rank, j), j = 1, n * ranks)]
      sum = 0
      call MPI_Reduce_scatter_block(blocks, sum, n, REALS, MPI_SUM, world, code)
      call expect(all(sum == [(summed(n * rank + j), j = 1, n)]), 'reduce_scatter_block')
      call MPI_Reduce_scatter_block(MPI_IN_PLACE, blocks, n, REALS, MPI_SUM, world, code)
      call expect(all(blocks(1:n) == [(summed(n * rank + j), j = 1, n)]), &
                  'reduce_scatter_block in place')

      lengths = n
      lengths(1) = n - 1
      lengths(ranks) = lengths(ranks) + 1
      blocks = [(element(rank, j), j = 1, n * ranks)]
      call reduce_unevenly(lengths, blocks)

      call unusual_operations(n)

      sum = 0
      call MPI_Scan(mine, sum, n, REALS, MPI_SUM, world, code)
      call expect(all(sum == [(summed_up_to(rank + 1, j), j = 1, n)]), 'scan')
      sum = mine
      call MPI_Scan(MPI_IN_PLACE, sum, n, REALS, MPI_SUM, world, code)
      call expect(all(sum == [(summed_up_to(rank + 1, j), j = 1, n)]), 'scan in place')
      sum = 0
      call MPI_Exscan(mine, sum, n, REALS, MPI_SUM, world, code)
      call expect(all(sum == [(summed_up_to(rank, j), j = 1, n)]), 'exscan')
      sum = mine
      call MPI_Exscan(MPI_IN_PLACE, sum, n, REALS, MPI_SUM, world, code)
      if (rank > 0) call expect(all(sum == [(summed_up_to(rank, j), j = 1, n)]), 'exscan in place')
   end subroutine

   ! Pairs of a value and an index, and an operation of the program's that depends on the order.
   subroutine unusual_operations(n)
      integer, intent(in) :: n
      double precision :: pairs(2, n), greatest(2, n)
      integer :: mine(n), last(n)
      HANDLE(MPI_Op) :: op
      integer :: j
      do j = 1, n
         pairs(:, j) = [dble(mod(rank + j, ranks)), dble(rank)]
      end do
      greatest = 0
      call MPI_Allreduce(pairs, greatest, n, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, world, code)
      do j = 1, n
         call expect(greatest(1, j) == ranks - 1, 'greatest value')
         call expect(mod(nint(greatest(2, j)) + j, ranks) == ranks - 1, 'place of the greatest value')
      end do
      mine = [(10 * rank + mod(j, 10), j = 1, n)]
      last = 0
      call MPI_Op_create(take_second, .false., op, code)
      call MPI_Allreduce(mine, last, n, MPI_INTEGER, op, world, code)
      call expect(all(last == [(10 * (ranks - 1) + mod(j, 10), j = 1, n)]), 'operation of the program')
      call MPI_Op_free(op, code)
   end subroutine

   subroutine reduce_unevenly(lengths, blocks)
      integer, intent(in) :: lengths(ranks)
      double precision, intent(inout) :: blocks(:)
      double precision :: mine(lengths(rank + 1))
      integer :: j, first
      first = 0
      do j = 1, rank
         first = first + lengths(j)
      end do
      mine = 0
      call MPI_Reduce_scatter(blocks, mine, lengths, REALS, MPI_SUM, world, code)
      call expect(all(mine == [(summed(first + j), j = 1, size(mine))]), 'reduce_scatter')
      call MPI_Reduce_scatter(MPI_IN_PLACE, blocks, lengths, REALS, MPI_SUM, world, code)
      call expect(all(blocks(1:size(mine)) == mine), 'reduce_scatter in place')
   end subroutine

   subroutine movements(n)
      integer, intent(in) :: n
      double precision :: mine(n), to(n * ranks), from(n * ranks), all_ranks(n * ranks)
      integer :: j, other
      mine = 0
      if (rank == 0) mine = [(element(7, j), j = 1, n)]
      call MPI_Bcast(mine, n, REALS, 0, world, code)
      call expect(all(mine == [(element(7, j), j = 1, n)]), 'bcast')

      all_ranks = [((element(other, j), j = 1, n), other = 0, ranks - 1)]
      mine = [(element(rank, j), j = 1, n)]
      from = 0
      call MPI_Allgather(mine, n, REALS, from, n, REALS, world, code)
      call expect(all(from == all_ranks), 'allgather')
      from = 0
      from(n * rank + 1:n * rank + n) = mine
      call MPI_Allgather(MPI_IN_PLACE, n, REALS, from, n, REALS, world, code)
      call expect(all(from == all_ranks), 'allgather in place')

      to = [((element(rank, other + j), j = 1, n), other = 0, ranks - 1)]
      from = 0
      call MPI_Alltoall(to, n, REALS, from, n, REALS, world, code)
      call expect(all(from == [((element(other, rank + j), j = 1, n), other = 0, ranks - 1)]), &
                  'alltoall')
      call MPI_Alltoall(MPI_IN_PLACE, n, REALS, to, n, REALS, world, code)
      call expect(all(to == from), 'alltoall in place')
   end subroutine

   subroutine rooted_movements(n, root)
      integer, intent(in) :: n, root
      double precision :: mine(n), given(n * ranks), taken(n * ranks)
      logical :: here
      integer :: j, other
      here = rank == root
      mine = [(element(rank, j), j = 1, n)]
      taken = 0
      call MPI_Gather(mine, n, REALS, taken, n, REALS, root, world, code)
      given = [((element(other, j), j = 1, n), other = 0, ranks - 1)]
      if (here) call expect(all(taken == given), 'gather')
      taken = 0
      if (here) then
         taken(n * rank + 1:n * rank + n) = mine
         call MPI_Gather(MPI_IN_PLACE, n, REALS, taken, n, REALS, root, world, code)
         call expect(all(taken == given), 'gather in place')
      else
         call MPI_Gather(mine, n, REALS, taken, n, REALS, root, world, code)
      end if

      mine = 0
      call MPI_Scatter(given, n, REALS, mine, n, REALS, root, world, code)
      call expect(all(mine == [(element(rank, j), j = 1, n)]), 'scatter')
      mine = 0
      if (here) then
         call MPI_Scatter(given, n, REALS, MPI_IN_PLACE, n, REALS, root, world, code)
      else
         call MPI_Scatter(given, n, REALS, mine, n, REALS, root, world, code)
         call expect(all(mine == [(element(rank, j), j = 1, n)]), 'scatter in place')
      end if
   end subroutine

   ! Rank r has n + r elements; the last rank's lie first.
   subroutine uneven_movements(n)
      integer, intent(in) :: n
      double precision :: mine(n + rank), taken((n + ranks)*ranks), wanted((n + ranks)*ranks)
      integer :: lengths(ranks), places(ranks), j, other
      mine = [(element(rank, j), j = 1, n + rank)]
      lengths = [(n + other, other = 0, ranks - 1)]
      places = [((n + ranks)*(ranks - 1 - other), other = 0, ranks - 1)]
      wanted = 0
      do other = 0, ranks - 1
         wanted(places(other + 1) + 1:places(other + 1) + n + other) = &
            [(element(other, j), j = 1, n + other)]
      end do
      taken = 0
      call MPI_Allgatherv(mine, n + rank, REALS, taken, lengths, places, REALS, world, code)
      call expect(all(taken == wanted), 'allgatherv')
      taken = 0
      taken(places(rank + 1) + 1:places(rank + 1) + n + rank) = mine
      call MPI_Allgatherv(MPI_IN_PLACE, 0, REALS, taken, lengths, places, REALS, world, code)
      call expect(all(taken == wanted), 'allgatherv in place')
      call from_and_to_last(n, wanted, lengths, places)
      call between_all(n)
   end subroutine

   ! Ranks r and s exchange n + r + s elements; the last rank's lie first.
   subroutine between_all(n)
      integer, intent(in) :: n
      double precision :: given((n + 2*ranks)*ranks), wanted((n + 2*ranks)*ranks)
      double precision :: taken((n + 2*ranks)*ranks)
      integer :: lengths(ranks), places(ranks), j, other, first
      lengths = [(n + rank + other, other = 0, ranks - 1)]
      places = [((n + 2*ranks)*(ranks - 1 - other), other = 0, ranks - 1)]
      given = 0
      wanted = 0
      do other = 0, ranks - 1
         first = places(other + 1) + 1
         given(first:first + n + rank + other - 1) = &
            [(element(rank, other + j), j = 1, n + rank + other)]
         wanted(first:first + n + rank + other - 1) = &
            [(element(other, rank + j), j = 1, n + rank + other)]
      end do
      taken = 0
      call MPI_Alltoallv(given, lengths, places, REALS, taken, lengths, places, REALS, world, code)
      call expect(all(taken == wanted), 'alltoallv')
      call MPI_Alltoallv(MPI_IN_PLACE, lengths, places, REALS, given, lengths, &
                         places, REALS, world, code)
      call expect(all(given == wanted), 'alltoallv in place')
   end subroutine

   ! The same blocks, to and from the last rank.
   subroutine from_and_to_last(n, all_blocks, lengths, places)
      integer, intent(in) :: n, lengths(ranks), places(ranks)
      double precision, intent(in) :: all_blocks((n + ranks)*ranks)
      double precision :: mine(n + rank), own(n + rank), taken((n + ranks)*ranks)
      integer :: j, root
      root = ranks - 1
      own = [(element(rank, j), j = 1, n + rank)]
      taken = 0
      call MPI_Gatherv(own, n + rank, REALS, taken, lengths, places, REALS, root, world, code)
      if (rank == root) call expect(all(taken == all_blocks), 'gatherv')
      taken = 0
      if (rank == root) then
         taken(places(rank + 1) + 1:places(rank + 1) + n + rank) = own
         call MPI_Gatherv(MPI_IN_PLACE, 0, REALS, taken, lengths, places, REALS, root, world, code)
         call expect(all(taken == all_blocks), 'gatherv in place')
      else
         call MPI_Gatherv(own, n + rank, REALS, taken, lengths, places, REALS, root, world, code)
      end if
      mine = 0
      call MPI_Scatterv(all_blocks, lengths, places, REALS, mine, n + rank, &
                        REALS, root, world, code)
      call expect(all(mine == own), 'scatterv')
      mine = 0
      if (rank == root) then
         call MPI_Scatterv(all_blocks, lengths, places, REALS, MPI_IN_PLACE, 0, &
                           REALS, root, world, code)
      else
         call MPI_Scatterv(all_blocks, lengths, places, REALS, mine, n + rank, &
                           REALS, root, world, code)
         call expect(all(mine == own), 'scatterv in place')
      end if
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
      call MPI_Type_create_hindexed(1, lengths, places, REALS, there, code)
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
