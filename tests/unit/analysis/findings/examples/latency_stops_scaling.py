"""A model of hydrology that shared arrays let scale."""

SOURCE = "datasets/arsc-hydrology-mpi-1997.csv"


def evidence(makers):
    return makers.imported(SOURCE)
