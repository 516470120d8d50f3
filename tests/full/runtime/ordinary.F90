! Requests of messages, and persistent ones of them, completed in each way that there is: first while there is no
! other, then while a collective is outstanding.
#include "binding.inc"

program ordinary
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: kinds = 8
  integer :: rank, size, ierr, turn, i, before, next, mine, all
  integer :: sent(kinds), received(kinds), sources(kinds)
  REQUEST_OF :: outstanding, receive, send, requests(kinds)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  before = modulo(rank - 1, size)
  next = modulo(rank + 1, size)
  sources = [before, -1, before, -1, -1, before, -1, -1]
  call MPI_Recv_init(received(3), 1, MPI_INTEGER, before, 3, MPI_COMM_WORLD, receive, ierr)
  call MPI_Send_init(sent(3), 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, send, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  do turn = 1, 48
    received = -1
    sent = [(rank * 1000 + turn * 10 + i, i=1, kinds)]
    outstanding = MPI_REQUEST_NULL
    mine = rank + turn
    all = -1
    if (turn > 24) &
      call MPI_Iallreduce(mine, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, outstanding, ierr)
    call MPI_Irecv(received(1), 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(sent(1), 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Start(receive, ierr)
    requests(3) = receive
    requests(4) = MPI_REQUEST_NULL
    requests(5) = send
    call MPI_Startall(1, requests(5:5), ierr)
    call MPI_Irecv(received(6), 1, MPI_INTEGER, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, requests(6), ierr)
    call MPI_Issend(sent(6), 1, MPI_INTEGER, next, 6, MPI_COMM_WORLD, requests(7), ierr)
    call MPI_Irecv(received(8), 1, MPI_INTEGER, MPI_PROC_NULL, 8, MPI_COMM_WORLD, requests(8), ierr)
    call complete(kinds, requests, kinds - 1, sources, turn)
    do i = 1, kinds
      call check((requests(i) == MPI_REQUEST_NULL) .eqv. (i /= 3 .and. i /= 5), "null")
    end do
    call check(requests(3) == receive .and. requests(5) == send, "persistent")
    do i = 1, 6
      if (sources(i) >= 0) call check(received(i) == before * 1000 + turn * 10 + i, "message")
    end do
    call check(received(8) == -1, "message from nobody")
    call MPI_Wait(outstanding, MPI_STATUS_IGNORE, ierr)
    call check(outstanding == MPI_REQUEST_NULL, "null of the collective")
    if (turn > 24) call check(all == size * (size - 1) / 2 + size * turn, "sum")
  end do
  call MPI_Request_free(receive, ierr)
  call MPI_Request_free(send, ierr)
  call check(receive == MPI_REQUEST_NULL .and. send == MPI_REQUEST_NULL, "freed")
  if (rank == 0) print "(a)", "ok"
  call MPI_Finalize(ierr)

contains

#include "completion.inc"
end program
