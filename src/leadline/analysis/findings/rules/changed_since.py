"""Figures that became slower or faster than in earlier runs."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.compare.history import ENOUGH_RUNS, Dated, watch
from leadline.analysis.compare.interference import interference_text, watched
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import compared_text, name_of
from leadline.analysis.stats.comparison import Ratio
from leadline.analysis.stats.statistics import Interval
from leadline.core.units import count, format_bytes
from leadline.model.comparison import Compared
from leadline.model.summary import Finding

TOPIC = "speed"
ADVICE = "Compare both runs: library, kernel, variables and neighbours that changed are named."
EVIDENCE = {
    "*_ratio": "later time over earlier, or its inverse, the largest",
    "figures": "figures that changed",
    "at_bytes": "size with the largest change",
    "earlier_runs": "runs compared with",
}


class _Change(NamedTuple):
    figure: int
    compared: Compared


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for what is slower than in earlier runs, a fact for what is faster.

    One for each benchmark and MPI. With 3 earlier runs or more, a figure must also lie outside of
    what these lead one to expect of the next.
    """
    if not evidence.past:
        return
    past = [Dated(one.run, one.points) for one in evidence.past]
    new = Dated(evidence.run.run, evidence.points)
    places = {id(point): index for index, point in enumerate(evidence.points)}
    groups: dict[tuple[str, str, str], list[_Change]] = defaultdict(list)
    for one in watch(past, new).comparison.figures:
        if one.verdict in ("slower", "faster"):
            key = (one.verdict, one.other.benchmark, one.other.mpi)
            groups[key].append(_Change(places[id(one.other)], one))
    for (verdict, *_), changes in groups.items():
        yield _finding(evidence, verdict, changes)


def _finding(evidence: Evidence, verdict: str, changes: Sequence[_Change]) -> Finding:
    worst = max(changes, key=lambda one: abs(math.log(one.compared.ratio)))
    figure = worst.compared
    slower = verdict == "slower"
    ends = None if figure.low is None or figure.high is None else Interval(figure.low, figure.high)
    ratio = Ratio(figure.ratio, ends, figure.method)
    ratio = ratio if slower else ratio.inverse()
    numbers = {**ratio.evidence(f"{verdict}_ratio"), "figures": float(len(changes))}
    several = f" {count(len(changes) - 1, 'more figure')} too." if len(changes) > 1 else ""
    size = figure.other.bytes
    if size is not None:
        numbers["at_bytes"] = float(size)
    where = f" at {format_bytes(size)}" if size is not None else ""
    return Finding(
        severity="notice" if slower else "fact",
        text=f"{name_of(evidence, worst.figure, without=['bytes'])}{where} is "
        f"{compared_text(ratio, verdict)} than in {_before(evidence)}.{several}"
        f"{_interference(evidence)}",
        effect=ratio.median,
        evidence=numbers | {"earlier_runs": float(len(evidence.past))},
        advice=ADVICE if slower else None,
        command=f"leadline compare {evidence.past[-1].run} {evidence.run.run}" if slower else None,
        points=tuple(one.figure for one in changes),
    )


def _interference(evidence: Evidence) -> str:
    """Return who was there now and in the last earlier run, where that differs."""
    then = evidence.past[-1].interference
    if then is None or not watched(evidence.run):
        return ""
    now = interference_text(evidence.run)
    if now == then:
        return ""
    before = evidence.past[-1].run
    return f" Other programs now: {now or 'none'}; in {before}: {then or 'none'}."


def _before(evidence: Evidence) -> str:
    if len(evidence.past) > 1:
        known = ", beyond their scatter" * (len(evidence.past) >= ENOUGH_RUNS)
        return f"{len(evidence.past)} earlier runs{known}"
    last = evidence.past[0]
    return f"{last.run} of {last.started[:10]}" if last.started else last.run
