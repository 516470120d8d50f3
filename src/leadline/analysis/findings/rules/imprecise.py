"""Figures whose measurement ended before they were as precise as asked."""

import math
from collections.abc import Iterator, Mapping, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, worst_of
from leadline.analysis.stats.launches import FEWEST_SAMPLES
from leadline.core.units import number, percent
from leadline.model.summary import Finding, PointSummary

TOPIC = "trust"
ADVICE = (
    "Give it more time, or accept `--precision 0.05`. On a disturbed machine more time hardly "
    "helps."
)

_LONGEST_S = 60
_MOST_REPETITIONS = 1_000_000
_LIMITS = ("seconds", "maximum")

# Neighbouring samples are alike: so many times as many samples as independent ones.
_TO_BE_SURE = 2


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI with such figures, by what ended them."""
    wanted = evidence.run.plan.stopping.precision
    for limit in _LIMITS:
        ended = [i for i, point in enumerate(evidence.points) if point.stopped_by == limit]
        reached = {i: evidence.points[i].within_launch_precision for i in ended}
        wide = {i: value for i, value in reached.items() if value is not None and value > wanted}
        for group in evidence.groups(wide):
            yield _wide(evidence, group, wide, limit)
        few = [i for i in ended if reached[i] is None and evidence.points[i].samples]
        for group in evidence.groups(few):
            yield _few(evidence, group, limit)


def _wide(
    evidence: Evidence, group: Sequence[int], precision: Mapping[int, float], limit: str
) -> Finding:
    """Return the finding of figures whose launches have an interval, and a wide one."""
    wanted = evidence.run.plan.stopping.precision
    worst = max(group, key=lambda index: precision[index])
    reached = precision[worst]
    known = f"known within {percent(reached)} in a launch, not {percent(wanted)}"
    if reached > 1:
        known = f"hardly known: a launch's interval reaches {number(reached)} medians to each side"
    # The width of an interval falls with the square root of the samples.
    longer = _longer(evidence, limit, (reached / wanted) ** 2)
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, worst)} is {known}: {_ended_by(evidence, limit)} were over "
        f"first.{worst_of(group)}",
        evidence={
            "precision_reached": reached,
            "precision_wanted": wanted,
            "figures": float(len(group)),
        },
        advice=f"Give it longer: `{command(evidence, group, **longer)}`.",
        points=tuple(group),
    )


def _few(evidence: Evidence, group: Sequence[int], limit: str) -> Finding:
    """Return the finding of figures whose launches have too few samples for an interval."""
    worst = min(group, key=lambda index: _samples_a_launch(evidence.points[index]))
    samples = _samples_a_launch(evidence.points[worst])
    longer = _longer(evidence, limit, _TO_BE_SURE * FEWEST_SAMPLES / samples)
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, worst)} has {samples:g} samples a launch, too few for an "
        f"interval within it: that takes {FEWEST_SAMPLES} independent ones. "
        f"{_ended_by(evidence, limit)} were over first.{worst_of(group)}",
        evidence={
            "samples_per_launch": samples,
            "samples_needed": float(FEWEST_SAMPLES),
            "figures": float(len(group)),
        },
        advice=f"Give it longer: `{command(evidence, group, **longer)}`.",
        points=tuple(group),
    )


def _samples_a_launch(point: PointSummary) -> float:
    return point.samples / point.launches


def _ended_by(evidence: Evidence, limit: str) -> str:
    stopping = evidence.run.plan.stopping
    return f"{stopping.seconds:g} s" if limit == "seconds" else f"{stopping.maximum} repetitions"


def _longer(evidence: Evidence, limit: str, factor: float) -> dict[str, int]:
    stopping = evidence.run.plan.stopping
    if limit == "seconds":
        return {limit: min(_LONGEST_S, math.ceil(stopping.seconds * factor))}
    return {limit: min(_MOST_REPETITIONS, math.ceil(stopping.maximum * factor))}
