"""Curves of single measurements that jump from size to size: their shape is not judged."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.losses import worst_of_curves
from leadline.analysis.findings.words import name_of
from leadline.analysis.results.sweep import erratic_sizes
from leadline.core.units import percent
from leadline.model.summary import Finding, Sweep

TOPIC = "trust"
ADVICE = "Measure several times on a quiet machine, and import all outputs together."
EVIDENCE = {
    "jumping_fraction": "sizes a fifth or more above both neighbouring sizes",
    "curves": "curves that jump",
    "sizes": "sizes of the worst curve",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for all such curves, which no other rule judges."""
    curves = [sweep for sweep in evidence.sweeps if evidence.erratic(sweep)]
    if not curves:
        return
    jumps = {sweep.points: _share(evidence, sweep) for sweep in curves}
    worst = max(curves, key=lambda sweep: jumps[sweep.points])
    share = jumps[worst.points]
    yield Finding(
        severity="notice",
        text=f"{name_of(evidence, worst.points[0], without=['bytes'])} jumps from size to size: "
        f"{percent(share)} of the times are 20 % or more above both neighbouring sizes."
        f"{worst_of_curves(curves)}",
        evidence={
            "jumping_fraction": share,
            "curves": float(len(curves)),
            "sizes": float(len(worst.points)),
        },
        advice=ADVICE,
        points=tuple(index for sweep in curves for index in sweep.points),
    )


def _share(evidence: Evidence, sweep: Sweep) -> float:
    curve = [evidence.points[index] for index in sweep.points]
    return erratic_sizes(curve) / len(curve)
