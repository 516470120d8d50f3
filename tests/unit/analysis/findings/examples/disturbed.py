"""Repetitions without a core, and repetitions that began late."""

SOURCE = "invented figures"


def evidence(makers):
    hit = makers.figure(1e-4, 2**20, flags={"preempted": 93, "late_start": 230})
    return makers.evidence([makers.figure(samples=9000), hit])
