"""Choices of a launch that mean the same with every MPI, such as the eager limit."""
