"""A halo exchange of two tasks."""

import dataclasses

SOURCE = "invented figures"


def evidence(makers):
    return dataclasses.replace(makers.evidence([makers.figure()]), jitter=(makers.jitter(),))
