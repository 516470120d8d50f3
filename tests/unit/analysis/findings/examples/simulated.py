"""A figure that a model of a machine gave."""

import msgspec
from example_platform import machine

from leadline.model.platform import Calibration

SOURCE = "invented figures"


def evidence(makers):
    platform = machine({"kind": "crossbar"}, 4)
    calibration = Calibration(source="a paper", error=0.07, one_way=((8, 1e-6),))
    platform = msgspec.structs.replace(platform, calibration=(calibration,))
    return makers.evidence([makers.figure(simulated=True)], platform=platform)
