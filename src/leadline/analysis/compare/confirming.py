"""What is measured again of a night, how often, and what the fresh launches are worth."""

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from leadline.analysis.compare.nights import Key, Night, Verdict, certainty
from leadline.analysis.stats.alarms import LOOKS, in_spell
from leadline.analysis.stats.permutation import Mask
from leadline.analysis.stats.statistics import Array

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
        (key for key, told in verdict.figures.items() if told.said in ("usual", "machine")),
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
