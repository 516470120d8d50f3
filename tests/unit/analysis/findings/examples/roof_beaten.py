"""A roof that a right answer beats."""

from kernel_run import WAYS, memory, run_of

from leadline.analysis.findings.evidence import Evidence

SOURCE = "synthetic"


def evidence(makers):
    run, analysis = run_of([*WAYS, *memory({100: 400, 1000: 80, 10000: 90})])
    return Evidence(run, analysis.points, ())
