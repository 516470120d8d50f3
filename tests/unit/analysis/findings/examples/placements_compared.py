"""A solver on fewer nodes and on more."""

SOURCE = "datasets/chic-fem2d-parallel-2007.csv"


def evidence(makers):
    return makers.imported(SOURCE)
