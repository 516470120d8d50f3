"""Collectives of three libraries, and what of communication they hide."""

SOURCE = "recorded/collectives.json"


def evidence(makers):
    return makers.recorded("collectives")
