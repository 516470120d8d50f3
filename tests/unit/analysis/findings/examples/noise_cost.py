"""Noise of a kernel with 250 ticks a second, in programs in step."""

SOURCE = "recorded/noise.json"


def evidence(makers):
    return makers.recorded("noise")
