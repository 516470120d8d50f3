"""The machine and the past: what changed since, and what the checks say."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from leadline.analysis.compare.history import ENOUGH_RUNS, Dated, watch
from leadline.analysis.compare.interference import interference_text, watched
from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import compared_text, name_of
from leadline.analysis.stats.comparison import Ratio
from leadline.core.units import count, format_bytes, percent
from leadline.model.comparison import Compared
from leadline.model.summary import CheckResult, Finding

_SEVERITY = {"bad": "notice", "warn": "fact"}


@rule(
    "trust",
    cure="Follow the advice of the check, which `leadline check` shows again.",
    evidence={"*": "the numbers of the check"},
)
def machine_check(evidence: Evidence) -> Iterator[Finding]:
    """Properties of the machine that disturb measurements, as the doctor found them before the
    run.
    """
    for result in evidence.run.doctor:
        check = msgspec.convert(result, CheckResult)
        if check.status in _SEVERITY:
            yield Finding(
                severity=_SEVERITY[check.status],
                text=f"{check.name}: {check.observed.rstrip('.')}. {check.meaning}",
                evidence=check.numbers,
                advice=Advise.CHECKED(advice=check.advice) if check.advice else None,
                command=check.command,
            )


class _Change(NamedTuple):
    figure: int
    compared: Compared


@rule(
    "speed",
    cure=Advise.COMPARE(),
    evidence={
        "*_ratio": "later time over earlier, or its inverse, the largest",
        "figures": "figures that changed",
        "at_bytes": "size with the largest change",
        "earlier_runs": "runs compared with",
    },
)
def changed_since(evidence: Evidence) -> Iterator[Finding]:
    """Figures that became slower or faster than in earlier runs."""
    # One for each benchmark and MPI. With 3 earlier runs or more, a figure must also lie outside of
    # what these lead one to expect of the next.
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
    ratio = Ratio.of(figure.ratio, figure.low, figure.high)
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
        advice=Advise.COMPARE() if slower else None,
        command=f"leadline compare {evidence.past[-1].run} {evidence.run.run}" if slower else None,
        points=tuple(one.figure for one in changes),
    )


def _interference(evidence: Evidence) -> str:
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


@rule(
    "trust",
    cure="Use simulated figures to compare designs, not as measurements.",
    evidence={"figures": "simulated figures", "most_processes": "most processes of one figure"},
)
def simulated(evidence: Evidence) -> Iterator[Finding]:
    """Times that a simulator computed: nothing was measured."""
    marked = [index for index, point in enumerate(evidence.points) if point.simulated]
    platform = evidence.run.platform
    if not marked or platform is None:
        return
    stated = [each.error for each in platform.calibration]
    near = f" (its ping-pong within {percent(max(stated))})" if stated else ""
    yield Finding(
        severity="notice",
        text=f"{count(len(marked), 'figure')} {'was' if len(marked) == 1 else 'were'} simulated on "
        f"platform {platform.name}{near}. In this model only messages take time.",
        evidence={
            "figures": float(len(marked)),
            "most_processes": float(max(evidence.points[index].processes for index in marked)),
        },
        advice=Advise.ASSUMPTIONS(),
        command=f"leadline platforms {platform.name}",
        points=tuple(marked),
    )
