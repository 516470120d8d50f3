"""Flags that give wrong answers."""

from kernel_run import ROOF, WAYS, run_of

from leadline.analysis.findings.evidence import Evidence

SOURCE = "synthetic"


def evidence(makers):
    run, analysis = run_of([*WAYS, *ROOF])
    return Evidence(run, analysis.points, ())
