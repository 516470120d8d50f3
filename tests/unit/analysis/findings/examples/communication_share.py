"""What part of a solver is communication."""

SOURCE = "datasets/chic-fem2d-parallel-2007.csv"


def evidence(makers):
    return makers.imported(SOURCE)
