"""Puts of the T3E next to other jobs, and behind a spacer."""

SOURCE = "datasets/arsc-shmem-put-1997.csv"


def evidence(makers):
    return makers.imported(SOURCE)
