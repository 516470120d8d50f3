! Persistent collectives as Fortran calls them, through module mpi_f08 or mpif.h, completed in each
! way that there is.
#if BINDING == 3
#define REQUEST_OF type(MPI_Request)
#define STATUS_OF(name) type(MPI_Status) :: name
#define STATUSES_OF(name, n) type(MPI_Status) :: name(n)
#else
#define REQUEST_OF integer
#define STATUS_OF(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES_OF(name, n) integer :: name(MPI_STATUS_SIZE, n)
#endif

program persistent
#if BINDING == 3
  use mpi_f08
#endif
  implicit none
#if BINDING == 1
  include "mpif.h"
#endif
  integer, parameter :: n = 5
  integer :: rank, size, ierr, turn, i, idx, outcount, indices(3), received
  logical :: flag
  double precision :: in(n), out(n)
  REQUEST_OF :: sum, meet, requests(3)
  STATUS_OF(status)
  STATUSES_OF(statuses, 3)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call MPI_Allreduce_init(MPI_IN_PLACE, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
    MPI_INFO_NULL, sum, ierr)
  call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, meet, ierr)
  requests(2) = MPI_REQUEST_NULL
  do turn = 1, 40
    received = -1
    call MPI_Irecv(received, 1, MPI_INTEGER, modulo(rank - 1, size), 3, MPI_COMM_WORLD, &
      requests(2), ierr)
    do i = 1, n
      in(i) = rank * turn + i
    end do
    out = in
    call MPI_Start(sum, ierr)
    requests(1) = sum
    requests(3) = meet
    call MPI_Startall(1, requests(3:3), ierr)
    call MPI_Send(rank, 1, MPI_INTEGER, modulo(rank + 1, size), 3, MPI_COMM_WORLD, ierr)
    select case (modulo(turn, 8))
    case (0)
      call MPI_Waitall(3, requests, statuses, ierr)
      call check(is_source(statuses, 2), "source of waitall")
    case (1)
      call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierr)
    case (2)
      do i = 1, 3
        call MPI_Wait(requests(i), status, ierr)
      end do
    case (3)
      do i = 1, 3
        flag = .false.
        do while (.not. flag)
          call MPI_Test(requests(i), flag, MPI_STATUS_IGNORE, ierr)
        end do
      end do
    case (4)
      do i = 1, 3
        call MPI_Waitany(3, requests, idx, status, ierr)
        call check(idx >= 1 .and. idx <= 3, "index of waitany")
      end do
    case (5)
      i = 0
      do while (i < 3)
        call MPI_Waitsome(3, requests, outcount, indices, statuses, ierr)
        call check(outcount > 0, "count of waitsome")
        i = i + outcount
      end do
    case (6)
      flag = .false.
      do while (.not. flag)
        call MPI_Testall(3, requests, flag, MPI_STATUSES_IGNORE, ierr)
      end do
    case (7)
      flag = .false.
      do while (.not. flag)
        call MPI_Request_get_status(requests(1), flag, MPI_STATUS_IGNORE, ierr)
      end do
      i = 0
      do while (i < 3)
        call MPI_Testany(3, requests, idx, flag, status, ierr)
        if (flag) i = i + 1
        if (i == 3) exit
        call MPI_Testsome(3, requests, outcount, indices, MPI_STATUSES_IGNORE, ierr)
        call check(outcount >= 0, "count of testsome")
        i = i + outcount
      end do
    end select
    call MPI_Waitany(3, requests, idx, status, ierr)
    ! MPICH 4.0.2's mpif.h adds one to MPI_UNDEFINED.
    call check(idx < 0, "nothing is left")
    call check(received == modulo(rank - 1, size), "message")
    do i = 1, n
      call check(out(i) == turn * size * (size - 1) / 2 + size * i, "sum")
    end do
  end do
  call MPI_Request_free(sum, ierr)
  call check(sum == MPI_REQUEST_NULL, "freed")
  call MPI_Request_free(meet, ierr)
  if (rank == 0) print "(a)", "ok"
  call MPI_Finalize(ierr)

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    print "(a, i0, a, i0, 2a)", "rank ", rank, ", turn ", turn, ": ", what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine

  logical function is_source(all, i)
    STATUSES_OF(all, 3)
    integer, intent(in) :: i
#if BINDING == 3
    is_source = all(i)%MPI_SOURCE == modulo(rank - 1, size)
#else
    is_source = all(MPI_SOURCE, i) == modulo(rank - 1, size)
#endif
  end function
end program
