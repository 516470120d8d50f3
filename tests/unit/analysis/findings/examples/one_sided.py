"""Puts and messages whose order changes at a size."""

import msgspec

from leadline.model.description import Delivery

SOURCE = "synthetic"
SIDES = {
    "put": ("one-sided", lambda size: 2e-7 + size / 5e9),
    "message": ("two-sided", lambda size: 8e-7 + size / 1e10),
}


def evidence(makers):
    whole = makers.evidence(
        makers.figure(seconds(size), size, benchmark=f"family/{name}")
        for name, (_, seconds) in SIDES.items()
        for size in (1, 16, 256, 4096, 65536, 2**20)
    )
    (model,) = whole.run.benchmarks
    whole.run.benchmarks = [
        msgspec.structs.replace(
            model, name=f"family/{name}", delivery=Delivery(sides=sides, series="time")
        )
        for name, (sides, _) in SIDES.items()
    ]
    return whole
