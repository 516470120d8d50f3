"""MPI and SHMEM on this machine: found, described, installed."""
