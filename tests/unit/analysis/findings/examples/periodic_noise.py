"""Ticks of a kernel, and of the host below it."""

SOURCE = "recorded/noise.json"


def evidence(makers):
    return makers.recorded("noise")
