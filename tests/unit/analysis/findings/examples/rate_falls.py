"""A rate inside a node that falls beyond a cache."""

SOURCE = "datasets/waseda-pingpong-score.csv"


def evidence(makers):
    return makers.imported(SOURCE)
