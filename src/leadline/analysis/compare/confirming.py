"""What is measured again of a night, how often, and what the fresh launches are worth."""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.matching import launch_key, match
from leadline.analysis.compare.nights import Key, Night, Verdict, certainty
from leadline.analysis.results.states import States, launch_readings, usual_state
from leadline.analysis.stats.alarms import LOOKS, in_spell
from leadline.analysis.stats.statistics import Array, Mask
from leadline.model.summary import PointSummary

# Beside the suspects of a launch, so many figures that are as usual show whether the machine is.
WITNESSES = 2

# So many suspects are measured again, or so large a part of the figures: the gravest.
_MOST = 3
_MOST_PART = 0.2


class Again(NamedTuple):
    """The figures that are measured again, and those that are measured beside them."""

    suspects: tuple[Key, ...]
    witnesses: tuple[Key, ...]


class Fresh(NamedTuple):
    """What was measured again of suspects and witnesses, launch by launch, shape (launches,) each.

    `launches` are the logarithms of the medians; `slow` is whether the yardsticks around them met
    the machine slower than is usual, all of them not where nothing is known.
    """

    launches: Mapping[Key, Array]
    slow: Mapping[Key, Mask]


def choose(verdict: Verdict, night: Night) -> Again:
    """Return which figures of the night are measured again: none where nothing is suspected."""
    most = max(_MOST, math.ceil(_MOST_PART * len(verdict.usual)))
    gravest = sorted(verdict.suspects, key=lambda key: verdict.figures[key].chance)[:most]
    quiet = sorted(
        (key for key, outcome in verdict.figures.items() if outcome.said in ("usual", "machine")),
        key=lambda key: verdict.usual[key].between,
    )
    witnesses: list[Key] = []
    for group in dict.fromkeys(night.groups[key] for key in gravest):
        witnesses += [key for key in quiet if night.groups[key] == group][:WITNESSES]
    return Again(tuple(gravest), tuple(witnesses))


def spell_free(verdict: Verdict, night: Night, again: Again, fresh: Fresh) -> dict[Key, Array]:
    """Return the fresh launches of each suspect without those that met a slow spell.

    Yardsticks say so, or witnesses that took longer.
    """
    found = {}
    for key in again.suspects:
        launches = fresh.launches.get(key, np.zeros(0))
        beside = [
            (verdict.usual[one], fresh.launches[one])
            for one in again.witnesses
            if night.groups[one] == night.groups[key]
            and len(fresh.launches.get(one, ())) >= len(launches)
        ]
        slow = fresh.slow.get(key, np.zeros(len(launches), dtype=bool))
        witnessed = in_spell([(past, values[: len(launches)]) for past, values in beside])
        found[key] = launches[~(slow | witnessed)] if len(witnessed) else launches[~slow]
    return found


def wanted(
    verdict: Verdict, again: Again, fresh: Mapping[Key, Array]
) -> tuple[tuple[Key, ...], int]:
    """Return which suspects need more launches, and how many until the next look; none at the end.

    `fresh` are launches as `spell_free` returns them.
    """
    still = tuple(
        key
        for key in again.suspects
        if len(fresh[key]) < LOOKS[-1]
        and certainty(verdict.usual[key], fresh[key], len(verdict.usual), verdict.suspects[key])
        == "open"
    )
    if not still:
        return (), 0
    fewest = min(len(fresh[key]) for key in still)
    return still, next(count for count in LOOKS if count > fewest) - fewest


def met_spell(
    verdict: Verdict, night: Night, again: Again, still: Collection[Key], fresh: Fresh
) -> bool:
    """Whether the last launch of suspects that are `still` open met a slow spell."""
    last = Fresh(
        {key: values[-1:] for key, values in fresh.launches.items()},
        {key: met[-1:] for key, met in fresh.slow.items()},
    )
    free = spell_free(verdict, night, again._replace(suspects=tuple(still)), last)
    return any(len(last.launches.get(key, ())) and not len(free[key]) for key in still)


def measured_again(again: Again, still: Collection[Key], night: Night) -> tuple[Key, ...]:
    """Return what the next launches hold: suspects that are open, and the witnesses of theirs."""
    groups = {night.groups[key] for key in still}
    return (*still, *(key for key in again.witnesses if night.groups[key] in groups))


class Yardsticks:
    """Which launches of figures met the machine in a slower state than is usual over some runs."""

    def __init__(self, runs: Iterable[Dated]) -> None:
        readings = [each for run in runs for point in run.points for each in point.readings]
        self._states = States(readings)
        self._usual = usual_state([self._states.of(each) for each in readings])

    def slow(self, point: PointSummary) -> Mask:
        """Return for each launch of a figure whether its yardsticks met a slower state, (n,)."""
        usual = self._usual
        if usual is None:
            return np.zeros(len(point.launch_medians_s), dtype=bool)
        met = [self._states.met(each) for each in launch_readings(point)]
        return np.array([max(states, default=usual) > usual for states in met], dtype=bool)


def nights_of(past: Sequence[Dated], new: Dated) -> list[Night]:
    """Return all runs as nights, the newest last; a figure's key is its index in the newest run.

    Launches that met the machine in a slower state than is usual are left out where a figure has
    others: its yardsticks say so, not the figure.
    """
    runs = (*past, new)
    yardsticks = Yardsticks(runs)
    nights = []
    for run in runs:
        launches: dict[Key, Array] = {}
        groups: dict[Key, Hashable] = {}
        for old, index in match(run.points, new.points).pairs:
            point = run.points[old]
            if min(point.launch_medians_s, default=0.0) > 0:
                slow = yardsticks.slow(point)
                every = np.log(np.array(point.launch_medians_s))
                launches[index] = every if slow.all() else every[~slow]
                groups[index] = (launch_key(point), len(launches[index]))
        nights.append(Night(run.name, launches, groups))
    return nights


def fresh_of(points: Sequence[PointSummary], new: Dated, yardsticks: Yardsticks) -> Fresh:
    """Return the launches of figures that were measured again, by their index in `new`."""
    again = {
        index: points[at]
        for at, index in match(points, new.points).pairs
        if min(points[at].launch_medians_s, default=0.0) > 0
    }
    return Fresh(
        {index: np.log(np.array(point.launch_medians_s)) for index, point in again.items()},
        {index: yardsticks.slow(point) for index, point in again.items()},
    )
