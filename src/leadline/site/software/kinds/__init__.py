"""The kinds of software: a function for each, in the module of its theme."""

SYSTEM, COMPILER, MPI, OPENSHMEM, BLAS = "system", "compiler", "MPI", "OpenSHMEM", "BLAS"
MODULE, TOOL, BATCH = "module", "tool", "batch system"
