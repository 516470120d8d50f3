"""Algorithms of a collective, of which one wins small and large sizes."""

SOURCE = "recorded/algorithms.json"


def evidence(makers):
    return makers.recorded("algorithms")
