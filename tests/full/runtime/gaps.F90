! Messages of columns and rows of a matrix, through module mpi_f08 or mpif.h: sends of each mode,
! receives with and without a status, exchanges, a part of a message, and MPI_BOTTOM.
#if BINDING == 3
#define TYPE_OF type(MPI_Datatype)
#define STATUS_OF(name) type(MPI_Status) :: name
#define SOURCE_OF(name) name%MPI_SOURCE
#else
#define TYPE_OF integer
#define STATUS_OF(name) integer :: name(MPI_STATUS_SIZE)
#define SOURCE_OF(name) name(MPI_SOURCE)
#endif

program gaps
#if BINDING == 3
  use mpi_f08
#endif
  implicit none
#if BINDING == 1
  include "mpif.h"
#endif
  integer, parameter :: n = 12
  integer :: rank, peer, ierr, turn, i, j, counted, wrong
  integer :: lengths(2)
  integer(kind=MPI_ADDRESS_KIND) :: places(2)
  double precision, save :: mine(n, n), theirs(n, n)
  double precision :: dense(5)
  TYPE_OF :: row, absolute
  STATUS_OF(status)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  peer = 1 - rank
  wrong = 0
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_commit(row, ierr)
  call MPI_Get_address(theirs(1, 1), places(1), ierr)
  call MPI_Get_address(theirs(5, 3), places(2), ierr)
  lengths = 2
  call MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE_PRECISION, absolute, ierr)
  call MPI_Type_commit(absolute, ierr)

  do turn = 1, 12
    do j = 1, n
      do i = 1, n
        mine(i, j) = 1000 * rank + 10 * i + j + turn
      end do
    end do
    theirs = -1
    if (rank == 0) then
      if (mod(turn, 3) == 0) call MPI_Send(mine(4, 1), 1, row, peer, turn, MPI_COMM_WORLD, ierr)
      if (mod(turn, 3) == 1) call MPI_Ssend(mine(4, 1), 1, row, peer, turn, MPI_COMM_WORLD, ierr)
      if (mod(turn, 3) == 2) call MPI_Send(mine(4, 1), 1, row, peer, turn, MPI_COMM_WORLD, ierr)
    else if (mod(turn, 2) == 0) then
      call MPI_Recv(theirs(2, 1), 1, row, MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, status, ierr)
      call MPI_Get_count(status, row, counted, ierr)
      if (counted /= 1 .or. SOURCE_OF(status) /= 0) wrong = wrong + 1
    else
      call MPI_Recv(theirs(2, 1), 1, row, 0, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
    if (rank == 1) then
      do j = 1, n
        if (theirs(2, j) /= 40 + j + turn) wrong = wrong + 1
      end do
      if (count(theirs == -1) /= n * n - n) wrong = wrong + 1
    end if

    theirs = -1
    call MPI_Sendrecv(mine(turn, 1), 1, row, peer, 50, theirs(n, 1), 1, row, peer, 50, &
      MPI_COMM_WORLD, status, ierr)
    call MPI_Get_elements(status, row, counted, ierr)
    if (counted /= n) wrong = wrong + 1
    do j = 1, n
      if (theirs(n, j) /= 1000 * peer + 10 * turn + j + turn) wrong = wrong + 1
    end do
    if (count(theirs == -1) /= n * n - n) wrong = wrong + 1

    theirs = -1
    dense = [1, 2, 3, 4, 5]
    if (rank == 0) call MPI_Send(dense, 5, MPI_DOUBLE_PRECISION, peer, 60, MPI_COMM_WORLD, ierr)
    if (rank == 1) then
      call MPI_Recv(theirs, 1, row, 0, 60, MPI_COMM_WORLD, status, ierr)
      call MPI_Get_elements(status, row, counted, ierr)
      if (counted /= 5 .or. any(theirs(1, 1:5) /= dense)) wrong = wrong + 1
      if (count(theirs == -1) /= n * n - 5) wrong = wrong + 1
    end if

    theirs = turn
    if (rank == 1) theirs = -1
    if (rank == 0) call MPI_Send(MPI_BOTTOM, 1, absolute, peer, 70, MPI_COMM_WORLD, ierr)
    if (rank == 1) then
      call MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      if (count(theirs == -1) /= n * n - 4 .or. theirs(6, 3) /= turn) wrong = wrong + 1
    end if
  end do

  call MPI_Type_free(row, ierr)
  call MPI_Type_free(absolute, ierr)
  call MPI_Finalize(ierr)
  if (wrong > 0) error stop 1
end program gaps
