"""A rank that lost its core, and one that waited."""

import dataclasses

SOURCE = "invented figures"


def evidence(makers):
    return dataclasses.replace(makers.evidence([makers.figure()]), jitter=(makers.jitter(),))
