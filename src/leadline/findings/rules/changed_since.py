"""Figures that are slower or faster than those of earlier runs."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.analyse.compare import compare
from leadline.analyse.matching import match
from leadline.findings.evidence import Evidence, Past
from leadline.findings.kinds import kind_of
from leadline.findings.words import count, name_of, number
from leadline.model.comparison import Compared
from leadline.model.summary import Finding
from leadline.units import format_bytes

# So many earlier runs show how far runs differ by themselves.
_ENOUGH_RUNS = 3
_USEFUL = 0.05
# The 97.5 % points of Student's t for 2 to 9 degrees of freedom; more are as good as 9.
_STUDENT = (4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


class _Change(NamedTuple):
    figure: int
    compared: Compared
    runs: int


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for what is slower than in the last earlier run, a fact for what is faster.

    One for each benchmark and MPI. With 3 earlier runs or more, a figure must also lie outside of
    what these lead one to expect of the next.
    """
    if not evidence.past:
        return
    last = evidence.past[-1]
    whole = compare(last.run, last.points, evidence.run.run, evidence.points, same_within=_USEFUL)
    earlier = _earlier(evidence)
    places = {id(point): index for index, point in enumerate(evidence.points)}
    groups: dict[tuple[str, str, str], list[_Change]] = defaultdict(list)
    for one in whole.figures:
        index = places.get(id(one.other))
        if index is None or one.verdict not in ("slower", "faster"):
            continue
        before = earlier.get(index, [])
        if len(before) < _ENOUGH_RUNS or _unexpected(before, one.other.median_s):
            key = (one.verdict, one.other.benchmark, one.other.mpi)
            groups[key].append(_Change(index, one, len(before)))
    for (verdict, *_), changes in groups.items():
        yield _finding(evidence, last, verdict, changes)


def _earlier(evidence: Evidence) -> dict[int, list[float]]:
    """Return the times of each figure in all earlier runs."""
    found: dict[int, list[float]] = defaultdict(list)
    for past in evidence.past:
        for old, new in match(past.points, evidence.points).pairs:
            if past.points[old].median_s > 0:
                found[new].append(past.points[old].median_s)
    return found


def _unexpected(before: Sequence[float], now: float) -> bool:
    """Tell whether a time is outside the 95 % prediction interval of those before.

    Of their logarithms, as of a normal distribution (Hahn & Meeker, "Statistical Intervals", 1991,
    section 4.7).
    """
    logs = [math.log(time) for time in before]
    reach = _STUDENT[min(len(logs) - 3, len(_STUDENT) - 1)] * statistics.stdev(logs)
    away = abs(math.log(now) - statistics.fmean(logs))
    return away > reach * math.sqrt(1 + 1 / len(logs))


def _finding(evidence: Evidence, last: Past, verdict: str, changes: Sequence[_Change]) -> Finding:
    worst = max(changes, key=lambda one: abs(math.log(one.compared.ratio)))
    figure = worst.compared
    slower = verdict == "slower"
    factor = figure.ratio if slower else 1 / figure.ratio
    ends = " (no interval)"
    numbers = {f"{verdict}_ratio": factor, "figures": float(len(changes))}
    if figure.low is not None and figure.high is not None:
        low, high = (figure.low, figure.high) if slower else (1 / figure.high, 1 / figure.low)
        ends = f" ({number(low)} to {number(high)})"
        numbers |= {f"{verdict}_ratio_low": low, f"{verdict}_ratio_high": high}
    runs = (
        f" It is outside of what {worst.runs} earlier runs lead one to expect."
        if worst.runs >= _ENOUGH_RUNS
        else ""
    )
    several = f" So are {count(len(changes) - 1, 'other figure')}." if len(changes) > 1 else ""
    when = f" of {last.started[:10]}" if last.started else ""
    size = figure.other.bytes
    if size is not None:
        numbers["at_bytes"] = float(size)
    where = f" at {format_bytes(size)}" if size is not None else ""
    return Finding(
        kind=kind_of(__name__),
        severity="notice" if slower else "fact",
        text=f"{name_of(evidence, worst.figure, without=['bytes'])}{where} is {verdict} than in "
        f"{last.run}{when}: {number(factor)} times{ends}.{several}{runs}",
        evidence=numbers,
        advice="Look for what changed between the two: library, kernel, firmware, cables, "
        "neighbours (`machine` and `installations` in run.json)."
        if slower
        else None,
        points=tuple(one.figure for one in changes),
    )
