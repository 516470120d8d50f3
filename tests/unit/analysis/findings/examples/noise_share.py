"""Noise of a kernel with 250 ticks a second."""

SOURCE = "recorded/noise.json"


def evidence(makers):
    return makers.recorded("noise")
