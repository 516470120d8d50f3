"""Latency of a small message against what the links alone take."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import least_time
from leadline.analysis.findings.words import name_of
from leadline.core.units import format_seconds, percent, times
from leadline.model.imported import Bound
from leadline.model.summary import Finding

TOPIC = "hardware"
ADVICE = "Compare libraries and their transports: what is above the limit is software."
EVIDENCE = {
    "median_s": "time of the message",
    "least_s": "latency of the links",
    "software_s": "difference",
    "times_least": "time over latency of the links",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each benchmark and MPI: its fastest delivery whose latency is bounded."""
    points = evidence.points
    bounds = {index: least_time(evidence, point) for index, point in enumerate(points)}
    for group in evidence.groups(index for index, bound in bounds.items() if bound):
        least = min(group, key=lambda index: points[index].median_s)
        bound = bounds[least]
        if bound and points[least].median_s >= bound.value:
            yield _describe(evidence, least, bound)


def _describe(evidence: Evidence, index: int, bound: Bound) -> Finding:
    taken = evidence.points[index].median_s
    rest = taken - bound.value
    source = bound.source or "link"
    return Finding(
        severity="fact",
        text=f"{name_of(evidence, index)}: {format_seconds(taken)}, "
        f"{times(taken / bound.value)} the {format_seconds(bound.value)} of the {source}. "
        f"Software takes {format_seconds(rest)} ({percent(rest / taken)}).",
        evidence={
            "median_s": taken,
            "least_s": bound.value,
            "software_s": rest,
            "times_least": taken / bound.value,
        },
        points=(index,),
    )
