"""Times of which the slowest hundredth are far above the median."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import format_seconds, number
from leadline.model.summary import Finding, PointSummary

TOPIC = "steadiness"
ADVICE = (
    "A program whose ranks wait for each other runs at the tail, not at the median: look for "
    "what shares the processors with `leadline doctor`."
)

_HEAVY = 2.0


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI whose p99 is at least twice its median."""
    tails = {
        index: point.p99_s / point.median_s
        for index, point in enumerate(evidence.points)
        if point.p99_s is not None and point.samples and point.median_s > 0
    }
    for group in evidence.groups(index for index, tail in tails.items() if tail >= _HEAVY):
        worst = max(group, key=tails.__getitem__)
        point, ratio = evidence.points[worst], tails[worst]
        p99_s, max_s = ratio * point.median_s, point.max_s or 0.0
        yield Finding(
            severity="notice",
            text=f"One time in a hundred of {name_of(evidence, worst)} is {number(ratio)} times "
            f"the median or more: {format_seconds(p99_s)}{_ends(point)} against "
            f"{format_seconds(point.median_s)}, at most {format_seconds(max_s)}."
            f"{worst_of(group)}",
            evidence={
                "p99_over_median": ratio,
                "p99_s": p99_s,
                "median_s": point.median_s,
                "max_s": max_s,
            },
            advice=ADVICE,
            points=tuple(group),
        )


def _ends(point: PointSummary) -> str:
    """Return the 95 % interval of the p99, where it is known."""
    shape = point.shape
    if shape is None or shape.p99_low_s is None or shape.p99_high_s is None:
        return ""
    return f" ({format_seconds(shape.p99_low_s)} to {format_seconds(shape.p99_high_s)})"
