! Opens the file `fortran.dat` in the current folder.
program opens
   use mpi_f08
   implicit none
   type(MPI_File) :: file
   character(20) :: name = 'fortran.dat'
   call MPI_Init()
   call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_WRONLY + &
                      MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
   call MPI_File_close(file)
   call MPI_Finalize()
end program
