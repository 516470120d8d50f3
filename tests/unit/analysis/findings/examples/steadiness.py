"""Puts of the T3E and the T3D, with neighbours and without."""

SOURCE = "datasets/arsc-shmem-put-1997.csv"


def evidence(makers):
    return makers.imported(SOURCE)
