"""Rates that fall beyond a size, as where a cache or a buffer ends."""

from collections.abc import Iterator

from leadline.analyse.comparison import clearly_longer, time_ratio
from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import name_of, percent, rate_text, ratio_text
from leadline.model.summary import Finding, PointSummary, Sweep
from leadline.units import format_bytes

_MUCH = 1.25
_HELD = 0.9


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each curve whose largest size moves clearly less than its best one.

    Figures that are mostly disturbed say nothing of the machine's own limits.
    """
    for sweep in evidence.sweeps:
        index = max(sweep.points, key=lambda i: evidence.points[i].bandwidth_MBps or 0.0)
        best, last = evidence.points[index], evidence.points[sweep.points[-1]]
        if evidence.mostly_disturbed(index) or evidence.mostly_disturbed(sweep.points[-1]):
            continue
        ratio = time_ratio(last, best)
        if not (best.bandwidth_MBps and last.bandwidth_MBps and ratio):
            continue
        # What is left of the ratio of times when more data is taken out of it.
        growth = last.bandwidth_MBps * last.median_s / (best.bandwidth_MBps * best.median_s)
        less = ratio.scaled(1 / growth)
        if not clearly_longer(less, useful=_MUCH):
            continue
        falls = _falls_from(evidence, sweep, best)
        yield Finding(
            kind=kind_of(__name__),
            severity="notice",
            text=f"{name_of(evidence, index, without=['bytes'])} moves "
            f"{rate_text(best.bandwidth_MBps)} at {format_bytes(best.bytes or 0)} but "
            f"{rate_text(last.bandwidth_MBps)} at {format_bytes(last.bytes or 0)}: "
            f"less by {ratio_text(less)}. It falls below {percent(_HELD)} of its best from "
            f"{format_bytes(falls)} on, as where a cache or a buffer ends.",
            evidence={
                "best_size_bytes": float(best.bytes or 0),
                "best_MBps": best.bandwidth_MBps,
                "falls_from_bytes": float(falls),
                "largest_size_bytes": float(last.bytes or 0),
                "largest_size_MBps": last.bandwidth_MBps,
                **less.evidence("rate_factor"),
            },
            advice=f"Try large messages in pieces of {format_bytes(best.bytes or 0)}, or reuse "
            "buffers that are small enough to stay in cache.",
            points=(index, sweep.points[-1]),
        )


def _falls_from(evidence: Evidence, sweep: Sweep, best: PointSummary) -> int:
    """Return the first size of those, up to the largest, that never come near the best again."""
    falls = evidence.points[sweep.points[-1]]
    for index in reversed(sweep.points):
        point = evidence.points[index]
        if (point.bandwidth_MBps or 0.0) >= _HELD * (best.bandwidth_MBps or 0.0):
            break
        falls = point
    return falls.bytes or 0
