"""A solver that scales."""

SOURCE = "datasets/chic-fem2d-parallel-2007.csv"


def evidence(makers):
    return makers.imported(SOURCE)
