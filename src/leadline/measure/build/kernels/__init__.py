"""Kernels: each variant built on demand, with every compiler and set of flags that is asked for."""
