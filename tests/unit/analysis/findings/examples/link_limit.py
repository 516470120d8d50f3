"""A rate that comes near that of its link."""

SOURCE = "datasets/waseda-pingpong-score.csv"


def evidence(makers):
    return makers.imported(SOURCE)
