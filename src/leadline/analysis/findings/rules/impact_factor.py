"""The slowdown of a victim by a noisy neighbour, and what idle nodes between them change."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, ratio_text, worst_of
from leadline.analysis.stats.comparison import Ratio, clearly_longer, strongest
from leadline.analysis.stats.statistics import Interval
from leadline.core.units import count, times
from leadline.model.interference import CONDITIONS
from leadline.model.summary import Finding, Impact

TOPIC = "steadiness"
ADVICE = "Keep nodes idle between such jobs, or report the neighbour with each result."
EVIDENCE = {
    "median_ratio": "median with the neighbour over median alone",
    "p99_ratio": "99th percentile with the neighbour over that alone",
    "neighbour_MBps": "rate that the neighbour itself moves",
    "spacer_*_ratio": "median with this many idle nodes over median alone",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each neighbour, of the figure that it costs most.

    A notice where the victim is clearly slower than alone, a fact where it is not.
    """
    victims: dict[object, list[Impact]] = defaultdict(list)
    for impact in evidence.impacts:
        victims[impact.alone, impact.neighbour].append(impact)
    curves: dict[object, list[list[Impact]]] = defaultdict(list)
    for found in victims.values():
        alone = evidence.points[found[0].alone]
        choices = evidence.choices(alone, without=CONDITIONS)
        place = (alone.nodes, alone.processes_per_node)
        key = (alone.benchmark, alone.series, choices, alone.mpi, place, found[0].neighbour)
        curves[key].append(sorted(found, key=lambda impact: impact.spacer))
    for group in curves.values():
        worst = max(group, key=lambda found: found[0].median_ratio)
        yield _finding(evidence, worst, group)


def _finding(
    evidence: Evidence, impacts: Sequence[Impact], group: Sequence[Sequence[Impact]]
) -> Finding:
    first = impacts[0]
    median, tail = _median(first), _tail(first)
    name = name_of(evidence, first.alone, without=CONDITIONS)
    slower = clearly_longer(median)
    numbers = median.evidence("median_ratio")
    ratios = [median, *([tail] if tail else []), *map(_median, impacts[1:])]
    told = f"{name} is {ratio_text(median)} slower with neighbour {first.neighbour}"
    if not slower:
        told = f"Neighbour {first.neighbour} has no clear effect on {name}: {ratio_text(median)}"
    if tail:
        numbers |= tail.evidence("p99_ratio")
        told += f" (p99 {times(tail.median)})"
    if first.neighbour_MBps is not None:
        numbers["neighbour_MBps"] = first.neighbour_MBps
    for spaced in impacts[1:]:
        numbers |= _median(spaced).evidence(f"spacer_{spaced.spacer}_ratio")
    if impacts[1:]:
        last = impacts[-1]
        told += f". With {_distance(evidence, last)} between them: {ratio_text(_median(last))}"
    best = min(impacts, key=lambda impact: impact.median_ratio)
    figures = tuple(dict.fromkeys(i for each in impacts for i in (each.alone, each.disturbed)))
    again = command(evidence, figures, launches=max(10, 2 * evidence.run.plan.launches))
    return Finding(
        severity="notice" if slower else "fact",
        text=f"{told}.{worst_of(range(len(group)))}",
        effect=strongest(ratio.median for ratio in ratios),
        evidence=numbers,
        advice=_advice(evidence, first, best) if slower else None,
        command=None if not slower or evidence.run.imported else again,
        points=figures,
    )


def _advice(evidence: Evidence, first: Impact, best: Impact) -> str:
    if best.spacer > first.spacer and best.median_ratio < first.median_ratio:
        gained = times(first.median_ratio / best.median_ratio)
        return f"Keep {_distance(evidence, best)} between such jobs ({gained} faster); prove it."
    return "Report the neighbour with each figure; prove the effect with more launches."


def _distance(evidence: Evidence, impact: Impact) -> str:
    alone = evidence.points[impact.alone]
    return count(impact.spacer, "idle node" if alone.nodes > 1 else "idle process")


def _median(impact: Impact) -> Ratio:
    return Ratio(impact.median_ratio, _ends(impact.median_low, impact.median_high), "")


def _tail(impact: Impact) -> Ratio | None:
    if impact.p99_ratio is None:
        return None
    return Ratio(impact.p99_ratio, _ends(impact.p99_low, impact.p99_high), "")


def _ends(low: float | None, high: float | None) -> Interval | None:
    return None if low is None or high is None else Interval(low, high)
