"""Whoever reads a simulated figure is told so."""

import msgspec
from example_platform import machine

from leadline.analysis.findings.rules.machine import simulated
from leadline.analysis.findings.words import measuring
from leadline.model.plan import Plan
from leadline.model.platform import Calibration
from leadline.model.run import Outcome, Run


def test_measured_figures_are_not_called_simulated(evidence, figure) -> None:
    assert list(simulated.find(evidence([figure()]))) == []


def test_simulated_figures_are_counted_with_the_error_of_their_platform(evidence, figure) -> None:
    calibration = Calibration(source="a paper", error=0.07, one_way=((8, 1e-6),))
    platform = msgspec.structs.replace(machine({"kind": "crossbar"}, 4), calibration=(calibration,))
    figures = [figure(simulated=True), figure(simulated=True, processes=8)]
    (found,) = simulated.find(evidence(figures, platform=platform))
    assert found.severity == "notice"
    assert "2 figures" in found.text and "example" in found.text and "7 %" in found.text
    assert found.command == "leadline platforms example"
    assert found.evidence == {"figures": 2.0, "most_processes": 8.0}
    assert found.points == (0, 1)


def test_what_is_missing_is_simulated_again_on_the_same_machine() -> None:
    plan = Plan(entries=(), platform="chic", changes=("nodes=8", "network.bandwidth=x2"))
    run = Run(
        run="r", leadline="1", plan=plan, started="", outcome=Outcome(state="complete"),
        platform=machine({"kind": "crossbar"}, 8),
    )  # fmt: skip
    assert measuring(run, "mpi/halo") == (
        "leadline simulate mpi/halo --on chic --change nodes=8,network.bandwidth=x2"
    )
