! The program of modules.F90 with a layer of its own between it and some functions of mpi_f08.
#include "modules.F90"

subroutine MPI_Test_f08(request, flag, status, ierror)
   use mpi_f08, only: MPI_Request, MPI_Status, PMPI_Test
   implicit none
   type(MPI_Request), intent(inout) :: request
   logical, intent(out) :: flag
   type(MPI_Status) :: status
   integer, optional, intent(out) :: ierror
   call PMPI_Test(request, flag, status, ierror)
end subroutine

subroutine MPI_Testall_f08(count, requests, flag, statuses, ierror)
   use mpi_f08, only: MPI_Request, MPI_Status, PMPI_Testall
   implicit none
   integer, intent(in) :: count
   type(MPI_Request), intent(inout) :: requests(count)
   logical, intent(out) :: flag
   type(MPI_Status) :: statuses(*)
   integer, optional, intent(out) :: ierror
   call PMPI_Testall(count, requests, flag, statuses, ierror)
end subroutine

subroutine MPI_Testany_f08(count, requests, index, flag, status, ierror)
   use mpi_f08, only: MPI_Request, MPI_Status, PMPI_Testany
   implicit none
   integer, intent(in) :: count
   type(MPI_Request), intent(inout) :: requests(count)
   integer, intent(out) :: index
   logical, intent(out) :: flag
   type(MPI_Status) :: status
   integer, optional, intent(out) :: ierror
   call PMPI_Testany(count, requests, index, flag, status, ierror)
end subroutine

subroutine MPI_Testsome_f08(incount, requests, outcount, indices, statuses, ierror)
   use mpi_f08, only: MPI_Request, MPI_Status, PMPI_Testsome
   implicit none
   integer, intent(in) :: incount
   type(MPI_Request), intent(inout) :: requests(incount)
   integer, intent(out) :: outcount
   integer, intent(out) :: indices(*)
   type(MPI_Status) :: statuses(*)
   integer, optional, intent(out) :: ierror
   call PMPI_Testsome(incount, requests, outcount, indices, statuses, ierror)
end subroutine

subroutine MPI_Request_get_status_f08(request, flag, status, ierror)
   use mpi_f08, only: MPI_Request, MPI_Status, PMPI_Request_get_status
   implicit none
   type(MPI_Request), intent(in) :: request
   logical, intent(out) :: flag
   type(MPI_Status) :: status
   integer, optional, intent(out) :: ierror
   call PMPI_Request_get_status(request, flag, status, ierror)
end subroutine

subroutine MPI_Iprobe_f08(source, tag, comm, flag, status, ierror)
   use mpi_f08, only: MPI_Comm, MPI_Status, PMPI_Iprobe
   implicit none
   integer, intent(in) :: source, tag
   type(MPI_Comm), intent(in) :: comm
   logical, intent(out) :: flag
   type(MPI_Status) :: status
   integer, optional, intent(out) :: ierror
   call PMPI_Iprobe(source, tag, comm, flag, status, ierror)
end subroutine

subroutine MPI_Wait_f08(request, status, ierror)
   use mpi_f08, only: MPI_Request, MPI_Status, PMPI_Wait
   implicit none
   type(MPI_Request), intent(inout) :: request
   type(MPI_Status) :: status
   integer, optional, intent(out) :: ierror
   call PMPI_Wait(request, status, ierror)
end subroutine
