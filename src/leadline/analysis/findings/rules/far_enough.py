"""The smallest spacer to a neighbour from which on the victim takes no longer than alone."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from leadline.analysis.compare.compare import SAME_WITHIN
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, proof, ratio_text
from leadline.analysis.stats.comparison import Ratio, clearly_longer
from leadline.analysis.stats.statistics import Interval
from leadline.core.units import count, percent
from leadline.model.neighbours import CONDITIONS
from leadline.model.summary import Finding, Impact

TOPIC = "steadiness"
ADVICE = "Keep so many nodes idle between such jobs; where none was enough, try wider spacers."


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


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each victim and neighbour that several spacers kept apart.

    A spacer is far enough where it and all wider ones leave the victim as it is alone, at every
    size: from the widest on in this order, each test has its whole level (Maurer, Hothorn,
    Lehmacher: Multiple Comparisons in Drug Clinical Trials and Preclinical Assays, 1995).
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
            yield _finding(evidence, spacers)


def _finding(evidence: Evidence, spacers: Mapping[int, Sequence[Impact]]) -> Finding:
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
    name = (
        f"{name_of(evidence, widest.worst.alone, without=without)}, beside {widest.worst.neighbour}"
    )
    of = "node" if first.nodes > 1 else "idle process"
    bound = percent(SAME_WITHIN)
    if enough:
        least = enough[-1]
        numbers["far_enough_spacer"] = float(least.spacer)
        closer = distances[: -len(enough)]
        text = (
            f"{name}: a spacer of {count(least.spacer, of)} is far enough. From there on the "
            f"median is that without a neighbour within {bound}{_at_all(several)}: "
            f"{ratio_text(least.ratio)} there{_before(closer, of)}."
        )
        advice = f"Keep {count(least.spacer, of)} idle between such jobs." if closer else None
        severity = "fact"
    else:
        verdict = "is not far enough" if widest.slower else "may be far enough or not"
        text = (
            f"{name}: a spacer of {count(widest.spacer, of)}, the widest that was tried, "
            f"{verdict}: it leaves {ratio_text(widest.ratio)}, where as alone would be within "
            f"{bound}."
        )
        launches = max(10, 2 * evidence.run.plan.launches)
        wider = "Try wider spacers, or say with each figure what ran beside it."
        advice = wider if widest.slower else f"{proof(evidence, figures, launches=launches)}."
        severity = "notice"
    return Finding(
        severity=severity,
        text=text,
        effect=widest.ratio.median if not enough else distances[0].ratio.median,
        evidence=numbers,
        advice=advice,
        points=tuple(dict.fromkeys(figures)),
    )


def _distance(spacer: int, impacts: Sequence[Impact]) -> _Distance:
    """Return the spacer with the size that is surely slower, or may be furthest from as alone."""
    every = [_Distance(spacer, one, _median(one)) for one in impacts]
    return max(every, key=lambda one: (one.slower, _reach(one.ratio)))


def _median(impact: Impact) -> Ratio:
    low, high = impact.median_low, impact.median_high
    interval = None if low is None or high is None else Interval(low, high)
    return Ratio(impact.median_ratio, interval, "")


def _reach(ratio: Ratio) -> float:
    return max(ratio.interval.high, 1 / ratio.interval.low) if ratio.interval else math.inf


def _at_all(several: bool) -> str:
    return " at every size" if several else ""


def _before(closer: Sequence[_Distance], of: str) -> str:
    """Return what the next narrower spacer leaves, which is not, or not surely, far enough."""
    if not closer:
        return ", and none narrower was tried"
    last = closer[-1]
    unsure = "" if last.slower else ", which tells nothing"
    return (
        f"; the next narrower, of {count(last.spacer, of)}, leaves {ratio_text(last.ratio)}{unsure}"
    )
