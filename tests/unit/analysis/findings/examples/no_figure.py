"""A point whose repetitions all began late."""

import dataclasses

from leadline.model.summary import MissingFigure

SOURCE = "invented figures"


def evidence(makers):
    missing = MissingFigure(
        point=0, benchmark="family/thing", axes={}, settings={}, bytes=8, processes=2, nodes=1,
        processes_per_node=2, mpi="first", set_aside=40, flags={"late_start": 40},
        reason="every repetition is set aside: a rank came too late for the agreed start",
    )  # fmt: skip
    return dataclasses.replace(makers.evidence([makers.figure()]), missing=(missing,))
