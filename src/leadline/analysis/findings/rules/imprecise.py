"""Figures whose measurement ended before they were as precise as asked."""

import math
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, worst_of
from leadline.core.units import percent
from leadline.model.summary import Finding

ADVICE = (
    "Give it more time, or accept `--precision 0.05`. On a disturbed machine more time hardly "
    "helps."
)

_LONGEST_S = 60
_MOST_REPETITIONS = 1_000_000
_LIMITS = ("seconds", "maximum")


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI with such figures, by what ended them."""
    stopping = evidence.run.plan.stopping
    for limit in _LIMITS:
        ended = [
            index
            for index, point in enumerate(evidence.points)
            if point.stopped_by == limit and point.within_launch_precision > stopping.precision
        ]
        for group in evidence.groups(ended):
            worst = max(group, key=lambda i: evidence.points[i].within_launch_precision)
            reached = evidence.points[worst].within_launch_precision
            # The width of an interval falls with the square root of the samples.
            more = (reached / stopping.precision) ** 2
            if limit == "seconds":
                wanted = min(_LONGEST_S, math.ceil(stopping.seconds * more))
                ended_by = f"{stopping.seconds:g} s"
            else:
                wanted = min(_MOST_REPETITIONS, math.ceil(stopping.maximum * more))
                ended_by = f"{stopping.maximum} repetitions"
            yield Finding(
                severity="notice",
                text=f"{name_of(evidence, worst)} is known within {percent(reached)} in a launch, "
                f"not {percent(stopping.precision)}: {ended_by} were over first.{worst_of(group)}",
                evidence={
                    "precision_reached": reached,
                    "precision_wanted": stopping.precision,
                    "figures": float(len(group)),
                },
                advice=f"Give it longer: `{command(evidence, group, **{limit: wanted})}`.",
                points=tuple(group),
            )
