"""What is special about each MPI family, one file each."""
