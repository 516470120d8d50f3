"""Rates that fall beyond a size, as where a cache or a buffer ends."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import sustained
from leadline.analysis.findings.losses import worst_of_curves
from leadline.analysis.findings.words import name_of, place_of, ratio_text
from leadline.analysis.stats.comparison import Ratio, clearly_longer, time_ratio
from leadline.core.units import format_bytes, percent, rate_text
from leadline.model.summary import Finding, PointSummary, Sweep

TOPIC = "speed"
ADVICE = "Cut large messages into pieces of the best size, where your program can."

_MUCH = 1.25
_HELD = 0.9


class _Fall(NamedTuple):
    sweep: Sweep
    best: int
    less: Ratio


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice where the largest size moves clearly less than the best one.

    One for each benchmark, series and placement: the worst of its curves. Figures that are mostly
    disturbed say nothing of the machine's own limits.
    """
    groups: dict[object, list[_Fall]] = defaultdict(list)
    for sweep in evidence.curves:
        if fall := _fall(evidence, sweep):
            place = place_of(evidence.points[fall.best])
            groups[sweep.benchmark, sweep.series, place].append(fall)
    for falls in groups.values():
        yield _finding(evidence, falls)


def _fall(evidence: Evidence, sweep: Sweep) -> _Fall | None:
    usable = sustained(evidence, sweep)
    if not usable:
        return None
    index = max(usable, key=lambda i: evidence.points[i].bandwidth_MBps or 0.0)
    best, last = evidence.points[index], evidence.points[sweep.points[-1]]
    if evidence.mostly_disturbed(index) or evidence.mostly_disturbed(sweep.points[-1]):
        return None
    ratio = time_ratio(last, best)
    if not (best.bandwidth_MBps and last.bandwidth_MBps and ratio):
        return None
    # What is left of the ratio of times when more data is taken out of it.
    growth = last.bandwidth_MBps * last.median_s / (best.bandwidth_MBps * best.median_s)
    less = ratio.scaled(1 / growth)
    return _Fall(sweep, index, less) if clearly_longer(less, useful=_MUCH) else None


def _finding(evidence: Evidence, falls: Sequence[_Fall]) -> Finding:
    sweep, index, less = max(falls, key=lambda one: one.less.median)
    best, last = evidence.points[index], evidence.points[sweep.points[-1]]
    best_rate, last_rate = best.bandwidth_MBps or 0.0, last.bandwidth_MBps or 0.0
    begin = _falls_from(evidence, sweep, best)
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, index, without=['bytes'])} moves {rate_text(best_rate)} at "
        f"{format_bytes(best.bytes or 0)} but {rate_text(last_rate)} at "
        f"{format_bytes(last.bytes or 0)}: less by {ratio_text(less)}. It falls below "
        f"{percent(_HELD)} of its best from {format_bytes(begin)} on, as where "
        f"{'a cache' if best.nodes == 1 else 'a buffer'} ends.{worst_of_curves(falls)}"
        f"{_everywhere(falls)}",
        effect=less.median,
        evidence={
            "best_size_bytes": float(best.bytes or 0),
            "best_MBps": best_rate,
            "falls_from_bytes": float(begin),
            "largest_size_bytes": float(last.bytes or 0),
            "largest_size_MBps": last_rate,
            **less.evidence("rate_factor"),
            "curves": float(len(falls)),
            "libraries": float(len({one.sweep.mpi for one in falls})),
        },
        advice=_advice(evidence, best),
        points=tuple(i for one in falls for i in (one.best, one.sweep.points[-1])),
    )


def _advice(evidence: Evidence, best: PointSummary) -> str:
    reuse = "reuse buffers that are small enough to stay in cache."
    if not evidence.may("split", best.benchmark):
        return reuse.capitalize()
    what = "messages" if evidence.sends(best.benchmark) else "calls"
    return f"Try large {what} in pieces of {format_bytes(best.bytes or 0)}, or {reuse}"


def _falls_from(evidence: Evidence, sweep: Sweep, best: PointSummary) -> int:
    """Return the first size of those, up to the largest, that never come near the best again."""
    falls = evidence.points[sweep.points[-1]]
    for index in reversed(sweep.points):
        point = evidence.points[index]
        if (point.bandwidth_MBps or 0.0) >= _HELD * (best.bandwidth_MBps or 0.0):
            break
        falls = point
    return falls.bytes or 0


def _everywhere(falls: Sequence[_Fall]) -> str:
    libraries = len({one.sweep.mpi for one in falls})
    return f" It is so with {libraries} MPIs." if libraries > 1 else ""
