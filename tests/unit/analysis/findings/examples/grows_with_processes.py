"""A global sum on two clusters."""

SOURCE = "datasets/chic-global-sum-2007.csv"


def evidence(makers):
    return makers.imported(SOURCE)
