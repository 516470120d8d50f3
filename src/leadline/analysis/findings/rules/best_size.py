"""The message size that pays best, and from where on size hardly matters."""

from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of
from leadline.core.units import format_bytes, number, percent, rate_text
from leadline.model.summary import Finding, PointSummary

ADVICE = (
    "Join smaller messages until they reach the size from which nine tenths of the rate are there."
)

_PLATEAU = 0.9
_ENOUGH = 4


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each curve with a rate."""
    for sweep in evidence.curves:
        if sweep.best_size_bytes is None or sweep.best_MBps is None:
            continue
        curve = [evidence.points[index] for index in sweep.points]
        best = next(i for i, point in enumerate(curve) if point.bytes == sweep.best_size_bytes)
        first = best
        while first and (curve[first - 1].bandwidth_MBps or 0.0) >= _PLATEAU * sweep.best_MBps:
            first -= 1
        plateau_bytes = curve[first].bytes or 0
        numbers = {
            "best_size_bytes": float(sweep.best_size_bytes),
            "best_MBps": sweep.best_MBps,
            "plateau_from_bytes": float(plateau_bytes),
        }
        last = curve[-1].bandwidth_MBps or 0.0
        numbers["largest_size_MBps"] = last
        half = ""
        if sweep.half_size_bytes is not None and sweep.asymptotic_MBps is not None:
            numbers["half_size_bytes"] = sweep.half_size_bytes
            numbers["asymptotic_MBps"] = sweep.asymptotic_MBps
            half = f"; half of the asymptotic rate is reached at {number(sweep.half_size_bytes)} B"
        yield Finding(
            severity="fact",
            text=f"{name_of(evidence, sweep.points[best], without=['bytes'])} moves most at "
            f"{format_bytes(sweep.best_size_bytes)}: {rate_text(sweep.best_MBps)}, "
            f"{_plateau(curve, first)}{half}.",
            evidence=numbers,
            advice="Measure larger messages too: the rate still rises at the largest."
            if first == len(curve) - 1
            else f"Join smaller messages until they reach {format_bytes(plateau_bytes)}.",
            points=(sweep.points[first], sweep.points[best]),
        )


def _plateau(curve: Sequence[PointSummary], first: int) -> str:
    if first == len(curve) - 1:
        return "and still rises there"
    begin, end = (format_bytes(point.bytes or 0) for point in (curve[first], curve[-1]))
    held = f" and hold to {end}" if _holds(curve, first) else ""
    return f"of which {percent(_PLATEAU)} are there from {begin} on{held}"


def _holds(curve: Sequence[PointSummary], first: int) -> bool:
    """Tell whether no size from `first` on leaves the plateau, of four or more."""
    rates = [point.bandwidth_MBps or 0.0 for point in curve[first:]]
    return len(rates) >= _ENOUGH and min(rates) >= _PLATEAU * max(rates)
