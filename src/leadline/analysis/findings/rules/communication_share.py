"""Share of communication in a program's time."""

import statistics
from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.findings.contest import case_of
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of
from leadline.analysis.results.program import communication_fraction
from leadline.core.units import percent
from leadline.model.summary import Finding

TOPIC = "speed"
ADVICE = "Where it is large, send fewer and larger messages, or overlap them with work."
EVIDENCE = {
    "communication_fraction": "communication, median",
    "least_fraction": "least of all figures",
    "most_fraction": "most of all figures",
    "figures": "number of figures",
}

# The part from which on communication is worth more attention than the work.
_MUCH = 0.25
_LITTLE = 0.1


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each series, choice and MPI that tells its share of communication."""
    groups: dict[object, dict[int, float]] = defaultdict(dict)
    for index, point in enumerate(evidence.points):
        share = communication_fraction(point)
        if share is not None:
            key = (point.benchmark, point.series, point.mpi, evidence.choices(point))
            groups[key][index] = share
    for shares in groups.values():
        yield _finding(evidence, shares)


def _finding(evidence: Evidence, shares: dict[int, float]) -> Finding:
    middle = statistics.median(shares.values())
    most, least = max(shares, key=shares.__getitem__), min(shares.values())
    amounts = [name for name, _ in evidence.amounts(evidence.points[most])]
    name = name_of(evidence, most, without=["bytes", "place", *amounts])
    several = (
        f", from {percent(least)} to {percent(shares[most])} (most "
        f"{case_of(evidence, evidence.points[most]).text})"
        if len(shares) > 1
        else ""
    )
    return Finding(
        severity="notice" if middle >= _MUCH else "fact",
        text=f"{name}: communication takes {percent(middle)} of the time{several}.",
        evidence={
            "communication_fraction": middle,
            "least_fraction": least,
            "most_fraction": shares[most],
            "figures": float(len(shares)),
        },
        advice=_advice(middle),
        points=tuple(shares),
    )


def _advice(share: float) -> str | None:
    if share < _LITTLE:
        return "Tune the work on each node: a faster network would gain no more than this share."
    if share >= _MUCH:
        return "Send fewer and larger messages, or overlap them with work."
    return None
