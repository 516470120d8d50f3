"""Neighbours made by a benchmark: what they cost, and how far off is enough."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from leadline.analysis.compare.compare import SAME_WITHIN
from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import command, more_launches, name_of, ratio_text, worst_of
from leadline.analysis.stats.comparison import Ratio, clearly_longer, strongest
from leadline.core.units import count, percent, times
from leadline.model.interference import CONDITIONS
from leadline.model.summary import Finding, Impact


@rule(
    "steadiness",
    cure="Report the neighbour with each result.",
    evidence={
        "median_ratio": "median with the neighbour over median alone",
        "p99_ratio": "99th percentile with the neighbour over that alone",
        "neighbour_MBps": "rate that the neighbour itself moves",
        "spacer_*_ratio": "median with this many idle nodes over median alone",
    },
)
def impact_factor(evidence: Evidence) -> Iterator[Finding]:
    """The slowdown of a victim by a noisy neighbour, and what idle nodes between them change."""
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
        yield _impact_finding(evidence, worst, group)


def _impact_finding(
    evidence: Evidence, impacts: Sequence[Impact], group: Sequence[Sequence[Impact]]
) -> Finding:
    first = impacts[0]
    median, tail = _median(first), _tail(first)
    name = name_of(evidence, first.alone, without=CONDITIONS)
    slower = clearly_longer(median)
    numbers = median.evidence("median_ratio")
    ratios = [median, *([tail] if tail else []), *map(_median, impacts[1:])]
    text = f"{name} is {ratio_text(median)} slower with neighbour {first.neighbour}"
    if not slower:
        text = f"Neighbour {first.neighbour} has no clear effect on {name}: {ratio_text(median)}"
    if tail:
        numbers |= tail.evidence("p99_ratio")
        text += f" (p99 {times(tail.median)})"
    if first.neighbour_MBps is not None:
        numbers["neighbour_MBps"] = first.neighbour_MBps
    for spaced in impacts[1:]:
        numbers |= _median(spaced).evidence(f"spacer_{spaced.spacer}_ratio")
    if impacts[1:]:
        last = impacts[-1]
        text += f". With {_distance_text(evidence, last)} between them: {ratio_text(_median(last))}"
    figures = tuple(dict.fromkeys(i for each in impacts for i in (each.alone, each.disturbed)))
    again = command(evidence, figures, launches=more_launches(evidence))
    return Finding(
        severity="notice" if slower else "fact",
        text=f"{text}.{worst_of(range(len(group)))}",
        effect=strongest(ratio.median for ratio in ratios),
        evidence=numbers,
        advice=Advise.MORE_LAUNCHES() if slower and not evidence.run.imported else None,
        command=None if not slower or evidence.run.imported else again,
        points=figures,
    )


def _distance_text(evidence: Evidence, impact: Impact) -> str:
    alone = evidence.points[impact.alone]
    return count(impact.spacer, "idle node" if alone.nodes > 1 else "idle process")


def _median(impact: Impact) -> Ratio:
    return Ratio.of(impact.median_ratio, impact.median_low, impact.median_high)


def _tail(impact: Impact) -> Ratio | None:
    if impact.p99_ratio is None:
        return None
    return Ratio.of(impact.p99_ratio, impact.p99_low, impact.p99_high)


class _Distance(NamedTuple):
    """A spacer and what it leaves at the size that suffers most."""

    spacer: int
    worst: Impact
    ratio: Ratio

    @property
    def same(self) -> bool:
        """Whether the victim is surely as alone, within the bound."""
        found = self.ratio.interval
        bound = 1 + SAME_WITHIN
        return found is not None and 1 / bound <= found.low and found.high <= bound

    @property
    def slower(self) -> bool:
        """Whether it is surely slower than alone, by more than the bound allows."""
        return clearly_longer(self.ratio, useful=1 + SAME_WITHIN)


@rule(
    "steadiness",
    cure="Try wider spacers where none was enough.",
    evidence={
        "equivalence_fraction": "difference that counts as none",
        "widest_spacer": "idle nodes of the widest spacer",
        "far_enough_spacer": "idle nodes of the smallest spacer that is enough",
        "spacer_*_ratio": "time with this spacer over time alone",
    },
    source=(
        "W. Maurer, L. A. Hothorn, W. Lehmacher: Multiple Comparisons in Drug Clinical Trials and "
        "Preclinical Assays, 1995"
    ),
)
def far_enough(evidence: Evidence) -> Iterator[Finding]:
    """The smallest distance to a noisy neighbour at which the victim is as fast as alone.

    A spacer is enough where it and all wider ones leave the victim as fast as alone, at every size:
    from the widest on in this order, each test has its whole level.
    """
    found: dict[object, dict[int, list[Impact]]] = defaultdict(lambda: defaultdict(list))
    for impact in evidence.impacts:
        alone = evidence.points[impact.alone]
        choices = evidence.choices(alone, without=CONDITIONS)
        place = (alone.mpi, alone.nodes, alone.processes_per_node)
        key = (alone.benchmark, alone.series, choices, place, impact.neighbour)
        found[key][impact.spacer].append(impact)
    for spacers in found.values():
        if len(spacers) > 1:
            yield _spacer_finding(evidence, spacers)


def _spacer_finding(evidence: Evidence, spacers: Mapping[int, Sequence[Impact]]) -> Finding:
    distances = [_distance(spacer, impacts) for spacer, impacts in sorted(spacers.items())]
    widest = distances[-1]
    enough = list(takewhile(lambda one: one.same, reversed(distances)))
    figures = tuple(
        i for each in spacers.values() for one in each for i in (one.alone, one.disturbed)
    )
    numbers = {"equivalence_fraction": SAME_WITHIN, "widest_spacer": float(widest.spacer)}
    for one in distances:
        numbers |= one.ratio.evidence(f"spacer_{one.spacer}_ratio")
    first = evidence.points[widest.worst.alone]
    several = len({one.alone for each in spacers.values() for one in each}) > 1
    without = [*CONDITIONS, *(["bytes"] if several else [])]
    name = name_of(evidence, widest.worst.alone, without=without)
    name = f"{name} with neighbour {widest.worst.neighbour}"
    of = "idle node" if first.nodes > 1 else "idle process"
    again = None
    bound = percent(SAME_WITHIN)
    if enough:
        least = enough[-1]
        numbers["far_enough_spacer"] = float(least.spacer)
        closer = distances[: -len(enough)]
        text = (
            f"{name}: a distance of {count(least.spacer, of)} is enough. The time stays within "
            f"{bound} of that without a neighbour{' at every size' * several}.{_before(closer, of)}"
        )
        advice = None
        severity = "fact"
    else:
        verdict = "is not enough" if widest.slower else "may be enough or not"
        text = (
            f"{name}: a distance of {count(widest.spacer, of)} {verdict}. The victim takes "
            f"{ratio_text(widest.ratio)} its time alone."
        )
        advice = Advise.WIDER_SPACERS()
        if not widest.slower and not evidence.run.imported:
            advice = Advise.MORE_LAUNCHES()
            launches = more_launches(evidence)
            again = command(evidence, figures, launches=launches)
        severity = "notice"
    return Finding(
        severity=severity,
        text=text,
        effect=widest.ratio.median if not enough else distances[0].ratio.median,
        evidence=numbers,
        advice=advice,
        command=again,
        points=tuple(dict.fromkeys(figures)),
    )


def _distance(spacer: int, impacts: Sequence[Impact]) -> _Distance:
    """Return the spacer with the size that is surely slower, or may be furthest from as alone."""
    every = [_Distance(spacer, one, _median(one)) for one in impacts]
    return max(every, key=lambda one: (one.slower, _reach(one.ratio)))


def _reach(ratio: Ratio) -> float:
    return max(ratio.interval.high, 1 / ratio.interval.low) if ratio.interval else math.inf


def _before(closer: Sequence[_Distance], of: str) -> str:
    """Return the sentence about the next narrower spacer, which is not, or not surely, enough."""
    if not closer:
        return ""
    last = closer[-1]
    surely = "is" if last.slower else "may be"
    return f" With {count(last.spacer, of)} the victim {surely} slower: {ratio_text(last.ratio)}."
