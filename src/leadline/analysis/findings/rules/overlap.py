"""Overlap: how much of a communication hides behind a computation that runs meanwhile."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import name_of, sizes_text
from leadline.analysis.stats import launches
from leadline.core.units import percent
from leadline.model.run import variant
from leadline.model.summary import Finding, PointSummary

# The series of a benchmark that times the one, the other, and both at once.
_SERIES = ("communication", "computation", "together")
_LITTLE = 0.25


@rule(
    "choice",
    evidence={
        "most_hidden_fraction": "largest part hidden",
        "least_hidden_fraction": "smallest part hidden",
        "sizes": "sizes measured",
        "sizes_below_a_quarter": "sizes with less than a quarter hidden",
    },
)
def overlap(evidence: Evidence) -> Iterator[Finding]:
    """Overlap: how much of a communication hides behind a computation that runs meanwhile.

    The share is 1 - (together - computation) / communication: 1 when the communication costs
    nothing besides the computation, 0 when the two add up.
    """
    points: dict[object, dict[str, int]] = defaultdict(dict)
    for index, point in enumerate(evidence.points):
        if point.series in _SERIES:
            points[_curve(point), point.bytes][point.series] = index
    curves: dict[object, dict[int, dict[str, int]]] = defaultdict(dict)
    for figures in points.values():
        if len(figures) == len(_SERIES):
            first = evidence.points[figures[_SERIES[0]]]
            curves[_curve(first)][-1 if first.bytes is None else first.bytes] = figures
    for by_size in curves.values():
        yield _finding(evidence, by_size)


def _curve(point: PointSummary) -> object:
    shape = (point.benchmark, point.mpi, point.nodes, point.processes_per_node)
    return (*shape, variant(point.axes, point.conditions))


def hidden_share(communication: float, computation: float, together: float) -> float:
    """Return the share of `communication` seconds that is hidden, within 0 to 1."""
    return min(1.0, max(0.0, 1 - (together - computation) / communication))


def _estimate(evidence: Evidence, figures: Mapping[str, int]) -> launches.Estimate:
    medians = [evidence.points[figures[name]].launch_medians_s for name in _SERIES]
    by_launch = [np.array([hidden_share(*times)]) for times in zip(*medians, strict=False)]
    return launches.estimate(by_launch)


def _finding(evidence: Evidence, by_size: Mapping[int, Mapping[str, int]]) -> Finding:
    shares = {size: _estimate(evidence, figures) for size, figures in sorted(by_size.items())}
    least = min(shares, key=lambda size: shares[size].median)
    most = max(shares, key=lambda size: shares[size].median)
    little = [size for size, share in shares.items() if share.median < _LITTLE]
    example = by_size[least]["together"]
    # A figure that another program printed is one number.
    known = evidence.points[example].interval is not None
    texts = [_format_share(shares[most], list(shares), most, known, " of the communication")]
    if least != most:
        texts.append(_format_share(shares[least], list(shares), least, known))
    poor = len(little) > len(shares) / 2
    return Finding(
        severity="notice" if poor else "fact",
        text=f"{name_of(evidence, example, without=['bytes', 'series'])}: computation hides "
        f"{' and '.join(texts)}.",
        evidence={
            "most_hidden_fraction": shares[most].median,
            "least_hidden_fraction": shares[least].median,
            "sizes": float(len(shares)),
            "sizes_below_a_quarter": float(len(little)),
        },
        points=tuple(index for figures in by_size.values() for index in figures.values()),
    )


def _format_share(
    share: launches.Estimate, sizes: list[int], size: int, known: bool, of: str = ""
) -> str:
    low, high = (min(1.0, max(0.0, round(end, 4))) for end in share.interval or (0.0, 1.0))
    known = known and share.interval is not None and percent(low) != percent(high)
    ends = f" ({percent(low)} to {percent(high)})" if known else ""
    where = f" at {sizes_text(sizes, [size])}" if size >= 0 else ""
    return f"{percent(round(share.median, 4))}{ends}{of}{where}"
