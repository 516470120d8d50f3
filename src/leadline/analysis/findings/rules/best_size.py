"""The time of small messages, the peak rate, and the sizes at which most of the rate is there."""

from collections.abc import Iterator, Sequence

from leadline.analysis.findings.curve_causes import HELD, private_cache, switches
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import sustained
from leadline.analysis.findings.words import again, name_of
from leadline.core.units import format_bytes, format_seconds, percent, rate_text, times
from leadline.model.summary import Finding, PointSummary, Sweep

TOPIC = "speed"
ADVICE = "Send messages of the sizes at which nine tenths of the peak rate are there."
EVIDENCE = {
    "best_size_bytes": "size with the peak rate",
    "best_MBps": "peak rate",
    "plateau_from_bytes": "smallest size with 90 % of it",
    "plateau_to_bytes": "largest size with 90 % of it",
    "largest_size_MBps": "rate at the largest size",
    "half_size_bytes": "size at which half of the asymptotic rate is reached",
    "asymptotic_MBps": "slope of the line through the largest sizes",
}

# Small messages take no longer than this factor of the smallest.
_FLAT = 1.5
# A rate that counts more than the bytes of one message by this factor says so.
_COUNTED = 1.05


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each curve with a rate whose sizes a program may join."""
    for sweep in evidence.curves:
        if evidence.describes(sweep.benchmark) and not evidence.may("join", sweep.benchmark):
            continue
        usable = sustained(evidence, sweep)
        if sweep.best_MBps is not None and usable:
            yield _finding(evidence, sweep, usable)


def _finding(evidence: Evidence, sweep: Sweep, usable: Sequence[int]) -> Finding:
    curve = [evidence.points[index] for index in usable]
    rates = [point.bandwidth_MBps or 0.0 for point in curve]
    first = last = best = rates.index(max(rates))
    while first and rates[first - 1] >= HELD * rates[best]:
        first -= 1
    while last + 1 < len(rates) and rates[last + 1] >= HELD * rates[best]:
        last += 1
    numbers = {
        "best_size_bytes": float(curve[best].bytes or 0),
        "best_MBps": rates[best],
        "plateau_from_bytes": float(curve[first].bytes or 0),
        "plateau_to_bytes": float(curve[last].bytes or 0),
        "largest_size_MBps": rates[-1],
    }
    if sweep.half_size_bytes is not None and sweep.asymptotic_MBps is not None:
        numbers["half_size_bytes"] = sweep.half_size_bytes
        numbers["asymptotic_MBps"] = sweep.asymptotic_MBps
    rises = first == len(curve) - 1
    advice, command = _advice(evidence, usable, rises, curve[first], curve[last])
    return Finding(
        severity="fact",
        text=f"{name_of(evidence, usable[best], without=['bytes'])}: "
        f"{'; '.join(_small(evidence, sweep))}. Peak {rate_text(rates[best])} at "
        f"{format_bytes(curve[best].bytes)}{_plateau(curve, first, last)}."
        f"{_counted(curve[best])}{_cached(evidence, curve[best])}",
        evidence=numbers,
        advice=advice,
        command=command,
        points=(usable[first], usable[best]),
    )


def _small(evidence: Evidence, sweep: Sweep) -> Iterator[str]:
    """Yield the time of small sizes, then that of each size at which a switch costs."""
    points = [evidence.points[index] for index in sweep.points]
    flat = points[0]
    for point in points:
        if point.median_s > _FLAT * points[0].median_s:
            break
        flat = point
    ends = [format_seconds(time) for time in (points[0].median_s, flat.median_s)]
    size = "up to " * (flat is not points[0]) + format_bytes(flat.bytes)
    yield f"{' to '.join(dict.fromkeys(ends))} {size if flat is not points[0] else f'at {size}'}"
    for one in switches(evidence, sweep):
        if one.factor > 1:
            slow = evidence.points[one.after]
            what = f"{format_seconds(slow.median_s)} at {format_bytes(slow.bytes)}"
            yield f"{what} (protocol switch)"


def _plateau(curve: Sequence[PointSummary], first: int, last: int) -> str:
    if first == len(curve) - 1:
        return ", still rising"
    begin, end = (format_bytes(curve[index].bytes) for index in (first, last))
    if begin == end:
        return ""
    return f", {percent(HELD)} of it from {begin} to {end}"


def _counted(point: PointSummary) -> str:
    """Return what a rate counts, where that is not the bytes of one message."""
    moved = (point.bandwidth_MBps or 0.0) * 1e6 * point.median_s / (point.bytes or 1)
    return f" The rate counts {times(moved)} the size." if moved > _COUNTED else ""


def _cached(evidence: Evidence, point: PointSummary) -> str:
    cache = private_cache(evidence, point)
    return f" The data stay in the {cache} cache." if cache else ""


def _advice(
    evidence: Evidence,
    usable: Sequence[int],
    rises: bool,
    first: PointSummary,
    last: PointSummary,
) -> tuple[str | None, str | None]:
    what = "messages" if evidence.sends(first.benchmark) else "calls"
    if not rises:
        if not evidence.may("join", first.benchmark):
            return None, None
        if first.bytes == last.bytes:
            return None, None
        sizes = f"{format_bytes(first.bytes)} to {format_bytes(last.bytes)}"
        return f"Join small {what} into {sizes}.", None
    axis = evidence.axis(first.benchmark, "bytes")
    largest = first.bytes or 0
    most = (axis.maximum if axis else None) or 8 * largest
    command = None
    if 2 * largest <= most:
        sizes = f"{largest}:{min(8 * largest, int(most))}:x2"
        command = again(evidence, usable[-1:], bytes=sizes)
    return f"Measure larger {what} too.", command
