"""A model of hydrology that stops scaling."""

SOURCE = "datasets/arsc-hydrology-mpi-1997.csv"


def evidence(makers):
    return makers.imported(SOURCE)
