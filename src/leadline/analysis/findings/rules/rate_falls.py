"""Rates that fall for good beyond a size, as where a cache or a buffer ends."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.curve_causes import HELD, Fall, cache_that_ends, fall
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.losses import worst_of_curves
from leadline.analysis.findings.words import again, compared_text, name_of, place_of
from leadline.core.units import format_bytes, percent, rate_text
from leadline.model.summary import Finding, Gain, PointSummary

TOPIC = "speed"
ADVICE = "Send large messages in pieces of the best size, where your program can."
EVIDENCE = {
    "best_size_bytes": "size with the peak rate",
    "best_MBps": "peak rate",
    "falls_from_bytes": "first size below 90 % of the peak",
    "largest_size_bytes": "largest size",
    "largest_size_MBps": "rate there",
    "rate_factor": "peak rate over the rate at the largest size",
    "curves": "curves that fall",
    "libraries": "MPIs whose curves fall",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice where the largest size moves clearly less than the best one.

    One for each benchmark, series and placement: the worst of its curves.
    """
    groups: dict[object, list[Fall]] = defaultdict(list)
    for sweep in evidence.curves:
        if fallen := fall(evidence, sweep):
            place = place_of(evidence.points[fallen.best])
            groups[sweep.benchmark, sweep.series, place].append(fallen)
    for falls in groups.values():
        yield _finding(evidence, falls)


def _finding(evidence: Evidence, falls: Sequence[Fall]) -> Finding:
    worst = max(falls, key=lambda one: one.less.median)
    less = worst.less
    points = evidence.points
    best, begin, last = (
        points[index] for index in (worst.best, worst.begin, worst.sweep.points[-1])
    )
    best_rate, last_rate = best.bandwidth_MBps or 0.0, last.bandwidth_MBps or 0.0
    low, high = less.interval or (None, None)
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, worst.best, without=['bytes'])} falls below {percent(HELD)} of "
        f"its peak from {format_bytes(begin.bytes)} on: {rate_text(best_rate)} at "
        f"{format_bytes(best.bytes)}, {rate_text(last_rate)} at {format_bytes(last.bytes)}, "
        f"{compared_text(less, 'less')}.{_cause(evidence, worst)}"
        f"{_everywhere(falls) or worst_of_curves(falls)}",
        effect=less.median,
        evidence={
            "best_size_bytes": float(best.bytes or 0),
            "best_MBps": best_rate,
            "falls_from_bytes": float(begin.bytes or 0),
            "largest_size_bytes": float(last.bytes or 0),
            "largest_size_MBps": last_rate,
            **less.evidence("rate_factor"),
            "curves": float(len(falls)),
            "libraries": float(len({one.sweep.mpi for one in falls})),
        },
        advice=_advice(evidence, best),
        command=again(evidence, [worst.best, worst.sweep.points[-1]], launches=10),
        gain=Gain(times=less.median, low=low, high=high),
        points=tuple(i for one in falls for i in (one.best, one.sweep.points[-1])),
    )


def _cause(evidence: Evidence, worst: Fall) -> str:
    if cache := cache_that_ends(evidence, worst):
        return f" Larger buffers no longer fit the {cache[0]} cache ({format_bytes(cache[1])})."
    return ""


def _advice(evidence: Evidence, best: PointSummary) -> str:
    if not evidence.may("split", best.benchmark):
        return "Reuse small buffers, which stay in cache."
    what = "messages" if evidence.sends(best.benchmark) else "calls"
    return f"Split large {what} into pieces of {format_bytes(best.bytes)}."


def _everywhere(falls: Sequence[Fall]) -> str:
    libraries = len({one.sweep.mpi for one in falls})
    return f" {libraries} MPIs do so." if libraries > 1 else ""
