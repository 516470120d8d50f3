"""Sizes of messages between two machines and inside one."""

SOURCE = "datasets/waseda-pingpong-score.csv"


def evidence(makers):
    return makers.imported(SOURCE)
