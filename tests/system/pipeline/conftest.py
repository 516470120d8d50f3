"""Fixtures of tests that measure with real ranks."""

from real_ranks import installation, mpi, mpich
