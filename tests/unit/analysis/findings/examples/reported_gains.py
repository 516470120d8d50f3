"""What a maker reported of its own library."""

SOURCE = "datasets/cray-mpt-2006-improvements.csv"


def evidence(makers):
    return makers.imported(SOURCE)
