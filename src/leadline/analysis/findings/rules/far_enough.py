"""The smallest distance to a noisy neighbour at which the victim is as fast as alone.

A spacer is enough where it and all wider ones leave the victim as fast as alone, at every size:
from the widest on in this order, each test has its whole level.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from leadline.analysis.compare.compare import SAME_WITHIN
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, ratio_text
from leadline.analysis.stats.comparison import Ratio, clearly_longer
from leadline.analysis.stats.statistics import Interval
from leadline.core.units import count, percent
from leadline.model.interference import CONDITIONS
from leadline.model.summary import Finding, Impact

TOPIC = "steadiness"
ADVICE = "Keep as many nodes idle between such jobs, or try wider spacers where none was enough."
EVIDENCE = {
    "equivalence_fraction": "difference that counts as none",
    "widest_spacer": "idle nodes of the widest spacer",
    "far_enough_spacer": "idle nodes of the smallest spacer that is enough",
    "spacer_*_ratio": "time with this spacer over time alone",
}
SOURCE = (
    "W. Maurer, L. A. Hothorn, W. Lehmacher: Multiple Comparisons in Drug Clinical Trials and "
    "Preclinical Assays, 1995"
)


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
    """Yield a finding for each victim and neighbour that several spacers kept apart."""
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
            f"{bound} of that without a neighbour{_at_all(several)}.{_before(closer, of)}"
        )
        advice = f"Keep {count(least.spacer, of)} between such jobs." if closer else None
        severity = "fact"
    else:
        verdict = "is not enough" if widest.slower else "may be enough or not"
        text = (
            f"{name}: a distance of {count(widest.spacer, of)} {verdict}. The victim takes "
            f"{ratio_text(widest.ratio)} its time alone."
        )
        advice = "Try wider spacers."
        if not widest.slower and not evidence.run.imported:
            advice = "Measure more launches."
            launches = max(10, 2 * evidence.run.plan.launches)
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


def _median(impact: Impact) -> Ratio:
    low, high = impact.median_low, impact.median_high
    interval = None if low is None or high is None else Interval(low, high)
    return Ratio(impact.median_ratio, interval, "")


def _reach(ratio: Ratio) -> float:
    return max(ratio.interval.high, 1 / ratio.interval.low) if ratio.interval else math.inf


def _at_all(several: bool) -> str:
    return " at every size" if several else ""


def _before(closer: Sequence[_Distance], of: str) -> str:
    """Return the sentence about the next narrower spacer, which is not, or not surely, enough."""
    if not closer:
        return ""
    last = closer[-1]
    surely = "is" if last.slower else "may be"
    return f" With {count(last.spacer, of)} the victim {surely} slower: {ratio_text(last.ratio)}."
