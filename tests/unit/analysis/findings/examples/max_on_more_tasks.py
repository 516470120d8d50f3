"""A halo exchange of 16 tasks."""

import dataclasses

SOURCE = "invented figures"


def evidence(makers):
    jitter = makers.jitter(tasks=16)
    return dataclasses.replace(makers.evidence([makers.figure()]), jitter=(jitter,))
