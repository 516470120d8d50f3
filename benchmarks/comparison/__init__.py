"""leadline beside other benchmark programs, on the same MPI and machine."""
