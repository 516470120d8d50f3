"""One of three launches met the cores three times farther apart."""

import dataclasses

import msgspec

from leadline.model.run import MachineReading
from leadline.model.summary import StateFigure

SOURCE = "invented figures"


def evidence(makers):
    states = tuple(
        StateFigure(state=number, times=times, launches=launches, median_s=1e-6 * times)
        for number, times, launches in ((0, 1.0, (0, 2)), (1, 3.1, (1,)))
    )
    one = makers.evidence([msgspec.structs.replace(makers.figure(), states=states)])
    launches = [
        msgspec.structs.replace(
            one.run.launches[0],
            launch=number,
            readings=(
                MachineReading(points=0, round_trip_s=1e-7 * slowness),
                MachineReading(points=1, round_trip_s=1.01e-7 * slowness),
            ),
        )
        for number, slowness in enumerate((1.0, 3.1, 1.0))
    ]
    return dataclasses.replace(one, run=msgspec.structs.replace(one.run, launches=launches))
