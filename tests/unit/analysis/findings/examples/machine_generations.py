"""Machines of a computing centre."""

SOURCE = "datasets/chemnitz-machines.csv"


def evidence(makers):
    return makers.imported(SOURCE)
