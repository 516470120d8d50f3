"""Whoever reads a simulated figure is told so."""

import sys
from pathlib import Path

import msgspec

from leadline.findings.rules import simulated
from leadline.model.platform import Calibration

sys.path.insert(0, str(Path(__file__).parent.parent / "platforms"))

from example import machine


def test_measured_figures_are_not_called_simulated(evidence, figure) -> None:
    assert list(simulated.find(evidence([figure()]))) == []


def test_simulated_figures_are_counted_with_the_error_of_their_platform(evidence, figure) -> None:
    calibration = Calibration(source="a paper", error=0.07, one_way=((8, 1e-6),))
    platform = msgspec.structs.replace(machine({"kind": "crossbar"}, 4), calibration=(calibration,))
    figures = [figure(simulated=True), figure(simulated=True, processes=8)]
    (found,) = simulated.find(evidence(figures, platform=platform))
    assert found.severity == "notice"
    assert "2 figures" in found.text and "example" in found.text and "7%" in found.text
    assert found.evidence == {"figures": 2.0, "most_processes": 8.0}
    assert found.points == (0, 1)
