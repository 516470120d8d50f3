! Collectives back to back, as a Fortran program that knows nothing of leadline calls them.
!
!     collectives LARGEST_BYTES COLLECTIVE...
!
! Prints what collectives.c prints of the collectives.
program collectives
  implicit none
  include 'mpif.h'
  integer, parameter :: batches = 5
  double precision, allocatable :: in(:), out(:)
  integer, allocatable :: counts(:), offsets(:)
  character(len=32) :: word, name
  integer :: rank, ranks, error, argument, n, calls, batch, i, j
  integer(kind=8) :: largest, bytes
  double precision :: begin, spent(1), times(batches), least

  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, word)
  read (word, *) largest
  allocate (in(largest/8*ranks), out(largest/8*ranks), counts(ranks), offsets(ranks))
  do argument = 2, command_argument_count()
    call get_command_argument(argument, name)
    bytes = 8
    do while (bytes <= largest)
      n = int(bytes/8)
      counts = n
      offsets = [(i*n, i=0, ranks - 1)]
      calls = 400
      if (bytes > 4096) calls = int(max(2_8, 2097152/bytes))
      call check(1)
      do batch = 1, batches
        call MPI_BARRIER(MPI_COMM_WORLD, error)
        begin = MPI_WTIME()
        do i = 1, calls
          call once()
        end do
        spent(1) = (MPI_WTIME() - begin)/calls
        call MPI_ALLREDUCE(spent, times(batch:batch), 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
                           MPI_COMM_WORLD, error)
      end do
      call check(2)
      do i = 1, batches - 1
        do j = i + 1, batches
          if (times(j) < times(i)) then
            least = times(j)
            times(j) = times(i)
            times(i) = least
          end if
        end do
      end do
      if (name == 'barrier') bytes = 0
      if (rank == 0) print '(a,1x,i0,1x,es12.4)', trim(name), bytes, times((batches + 1)/2)
      if (name == 'barrier') exit
      bytes = bytes*2
    end do
  end do
  call MPI_FINALIZE(error)

contains

  subroutine once()
    select case (name)
    case ('allreduce')
      call MPI_ALLREDUCE(in, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    case ('barrier')
      call MPI_BARRIER(MPI_COMM_WORLD, error)
    case ('bcast')
      if (rank == 0) then
        call MPI_BCAST(in, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
      else
        call MPI_BCAST(out, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
      end if
    case ('reduce')
      call MPI_REDUCE(in, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
    case ('allgather')
      call MPI_ALLGATHER(in, n, MPI_DOUBLE_PRECISION, out, n, MPI_DOUBLE_PRECISION, &
                         MPI_COMM_WORLD, error)
    case ('alltoall')
      call MPI_ALLTOALL(in, n, MPI_DOUBLE_PRECISION, out, n, MPI_DOUBLE_PRECISION, &
                        MPI_COMM_WORLD, error)
    case ('reduce_scatter_block')
      call MPI_REDUCE_SCATTER_BLOCK(in, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, &
                                    MPI_COMM_WORLD, error)
    case ('reduce_scatter')
      counts = n
      call MPI_REDUCE_SCATTER(in, out, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    case ('scan')
      call MPI_SCAN(in, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    case ('exscan')
      call MPI_EXSCAN(in, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    case ('gather')
      call MPI_GATHER(in, n, MPI_DOUBLE_PRECISION, out, n, MPI_DOUBLE_PRECISION, 0, &
                      MPI_COMM_WORLD, error)
    case ('scatter')
      call MPI_SCATTER(in, n, MPI_DOUBLE_PRECISION, out, n, MPI_DOUBLE_PRECISION, 0, &
                       MPI_COMM_WORLD, error)
    case ('allgatherv')
      call MPI_ALLGATHERV(in, n, MPI_DOUBLE_PRECISION, out, counts, offsets, &
                          MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
    case ('gatherv')
      call MPI_GATHERV(in, n, MPI_DOUBLE_PRECISION, out, counts, offsets, MPI_DOUBLE_PRECISION, &
                       0, MPI_COMM_WORLD, error)
    case ('alltoallv')
      call MPI_ALLTOALLV(in, counts, offsets, MPI_DOUBLE_PRECISION, out, counts, offsets, &
                         MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
    case ('scatterv')
      call MPI_SCATTERV(in, counts, offsets, MPI_DOUBLE_PRECISION, out, n, MPI_DOUBLE_PRECISION, &
                        0, MPI_COMM_WORLD, error)
    end select
  end subroutine

  ! Element i, from 0, of what `from` sends.
  double precision function sent(from, i, seed)
    integer, intent(in) :: from, i, seed
    sent = from + 1 + mod(i*7 + seed, 1013)
  end function

  double precision function total(i, of_ranks, seed)
    integer, intent(in) :: i, of_ranks, seed
    integer :: from
    total = 0
    do from = 0, of_ranks - 1
      total = total + sent(from, i, seed)
    end do
  end function

  ! Sends other values and compares what arrives with what must.
  subroutine check(seed)
    integer, intent(in) :: seed
    integer :: i, last
    double precision :: want
    do i = 1, n*ranks
      in(i) = sent(rank, i - 1, seed)
    end do
    out(:n*ranks) = 0
    call once()
    last = n
    if (index(name, 'gather') > 0 .or. index(name, 'alltoall') > 0) last = n*ranks
    if (name == 'barrier' .or. (name == 'bcast' .and. rank == 0)) return
    if ((name == 'reduce' .or. name == 'gather' .or. name == 'gatherv') .and. rank /= 0) return
    if (name == 'exscan' .and. rank == 0) return
    do i = 0, last - 1
      select case (name)
      case ('bcast')
        want = sent(0, i, seed)
      case ('allgather', 'allgatherv', 'gather', 'gatherv')
        want = sent(i/n, mod(i, n), seed)
      case ('alltoall', 'alltoallv')
        want = sent(i/n, rank*n + mod(i, n), seed)
      case ('scatter', 'scatterv')
        want = sent(0, rank*n + i, seed)
      case ('reduce_scatter_block', 'reduce_scatter')
        want = total(rank*n + i, ranks, seed)
      case ('scan')
        want = total(i, rank + 1, seed)
      case ('exscan')
        want = total(i, rank, seed)
      case default
        want = total(i, ranks, seed)
      end select
      if (out(i + 1) /= want) then
        print *, trim(name), n, ' doubles: wrong at ', i, ' on rank ', rank
        call MPI_ABORT(MPI_COMM_WORLD, 3, error)
      end if
    end do
  end subroutine
end program
