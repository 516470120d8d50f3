! Non-blocking collectives as Fortran starts them, among requests of the library's, completed in each way that
! there is.
#include "binding.inc"

program nonblocking
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: n = 5, kinds = 9
  integer :: rank, size, ierr, turn, i, received, before, word
  integer :: counts(n), sources(kinds)
  double precision :: in(n), out(n)
  double precision, allocatable :: given(:), block(:), in_place(:)
  REQUEST_OF :: requests(kinds)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  before = modulo(rank - 1, size)
  allocate (given(size * n), block(n), in_place(size * n))
  sources = -1
  sources(1) = before
  ! Here the communicator is adopted: a start cannot do that.
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  do turn = 1, 40
    received = -1
    out = -1
    block = -1
    word = turn
    if (rank /= 0) word = -1
    in = [(rank * turn + i, i=1, n)]
    counts = [(rank + turn * i, i=1, n)]
    given = [(rank * turn + i, i=1, size * n)]
    in_place = given + 1
    call MPI_Irecv(received, 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Iallreduce(in, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Ireduce_scatter_block(given, block, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
      requests(4), ierr)
    requests(5) = MPI_REQUEST_NULL
    call MPI_Iallreduce(MPI_IN_PLACE, counts, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(6), ierr)
    call MPI_Isend(rank, 1, MPI_INTEGER, modulo(rank + 1, size), 1, MPI_COMM_WORLD, requests(7), ierr)
    call MPI_Ireduce_scatter_block(MPI_IN_PLACE, in_place, n, MPI_DOUBLE_PRECISION, MPI_SUM, &
      MPI_COMM_WORLD, requests(8), ierr)
    call MPI_Ibcast(word, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(9), ierr)
    call check(ierr == MPI_SUCCESS, "error code of a start")
    do i = 1, kinds
      call check((requests(i) == MPI_REQUEST_NULL) .eqv. (i == 5), "request of a start")
    end do
    call complete(kinds, requests, kinds - 1, sources, turn)
    do i = 1, kinds
      call check(requests(i) == MPI_REQUEST_NULL, "null")
    end do
    call check(received == before, "message")
    call check(word == turn, "ibcast")
    do i = 1, n
      call check(out(i) == sums(i), "iallreduce")
      call check(counts(i) == size - 1 + turn * i, "iallreduce in place")
      call check(block(i) == sums(rank * n + i), "ireduce_scatter_block")
      call check(in_place(i) == sums(rank * n + i) + size, "ireduce_scatter_block in place")
    end do
  end do
  if (rank == 0) print "(a)", "ok"
  call MPI_Finalize(ierr)

contains

  ! Of what all ranks give as their i-th.
  integer function sums(i)
    integer, intent(in) :: i
    sums = turn * size * (size - 1) / 2 + size * i
  end function

#include "completion.inc"
end program
