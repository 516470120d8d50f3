"""The message size that pays best, and from where on size hardly matters."""

from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import sustained
from leadline.analysis.findings.words import name_of
from leadline.core.units import format_bytes, number, percent, rate_text
from leadline.model.summary import Finding, PointSummary

TOPIC = "speed"
ADVICE = (
    "Join smaller messages, where a program can, until they reach the size from which nine tenths "
    "of the rate are there."
)

_PLATEAU = 0.9
_ENOUGH = 4


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each curve with a rate."""
    for sweep in evidence.curves:
        usable = sustained(evidence, sweep)
        if sweep.best_MBps is None or not usable:
            continue
        curve = [evidence.points[index] for index in usable]
        rates = [point.bandwidth_MBps or 0.0 for point in curve]
        first = best = rates.index(max(rates))
        best_bytes = curve[best].bytes or 0
        while first and rates[first - 1] >= _PLATEAU * rates[best]:
            first -= 1
        plateau_bytes = curve[first].bytes or 0
        numbers = {
            "best_size_bytes": float(best_bytes),
            "best_MBps": rates[best],
            "plateau_from_bytes": float(plateau_bytes),
        }
        numbers["largest_size_MBps"] = rates[-1]
        half = ""
        if sweep.half_size_bytes is not None and sweep.asymptotic_MBps is not None:
            numbers["half_size_bytes"] = sweep.half_size_bytes
            numbers["asymptotic_MBps"] = sweep.asymptotic_MBps
            half = f"; half of the asymptotic rate is reached at {number(sweep.half_size_bytes)} B"
        yield Finding(
            severity="fact",
            text=f"{name_of(evidence, usable[best], without=['bytes'])} moves most at "
            f"{format_bytes(best_bytes)}: {rate_text(rates[best])}, "
            f"{_plateau(curve, first)}{half}.",
            evidence=numbers,
            advice=_advice(evidence, sweep.benchmark, first == len(curve) - 1, plateau_bytes),
            points=(usable[first], usable[best]),
        )


def _advice(evidence: Evidence, benchmark: str, rises: bool, plateau_bytes: int) -> str | None:
    what = "messages" if evidence.sends(benchmark) else "calls"
    if rises:
        return f"Measure larger {what} too: the rate still rises at the largest."
    if evidence.may("join", benchmark):
        return f"Join smaller {what} until they reach {format_bytes(plateau_bytes)}."
    return None


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
