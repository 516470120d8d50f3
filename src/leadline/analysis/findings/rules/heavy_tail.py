"""Calls of which the slowest 1 % take at least twice the median.

Only where the 95 % interval of the 99th percentile lies above that: this takes 368 independent
samples of a launch or more.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import format_seconds, times
from leadline.model.summary import Finding, PointSummary

TOPIC = "steadiness"
ADVICE = (
    "Find out with `leadline doctor` what shares the cores. Programs that synchronise often run at "
    "the speed of the slowest call."
)
EVIDENCE = {
    "p99_over_median": "99th percentile over median",
    "p99_s": "99th percentile",
    "median_s": "the figure",
    "max_s": "slowest call",
}
SOURCE = "G. J. Hahn, W. Q. Meeker: Statistical Intervals, 1991 (intervals of quantiles)"

_HEAVY = 2.0


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for the figures whose p99 is surely at least twice the median."""
    tails = {
        index: point.p99_s / point.median_s
        for index, point in enumerate(evidence.points)
        if point.p99_s is not None and point.median_s > 0 and _is_heavy(point)
    }
    if group := list(tails):
        worst = max(group, key=tails.__getitem__)
        point, ratio = evidence.points[worst], tails[worst]
        p99_s, max_s = ratio * point.median_s, point.max_s or 0.0
        yield Finding(
            severity="notice",
            text=f"The slowest 1 % of {name_of(evidence, worst)} take at least "
            f"{format_seconds(p99_s)} (median {format_seconds(point.median_s)}, {times(ratio)}; "
            f"slowest {format_seconds(max_s)}).{worst_of(group)}",
            evidence={
                "p99_over_median": ratio,
                "p99_s": p99_s,
                "median_s": point.median_s,
                "max_s": max_s,
            },
            advice="Find out what shares the cores; programs in step run at the slowest call.",
            command="leadline doctor",
            points=tuple(group),
        )


def _is_heavy(point: PointSummary) -> bool:
    """Tell whether the 99th percentile surely lies far above the median."""
    shape = point.shape
    return shape is not None and (shape.p99_low_s or 0.0) >= _HEAVY * point.median_s
