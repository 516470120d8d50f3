"""What is measured again of a night, how often, and what the fresh launches are worth."""

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from leadline.analysis.compare.nights import Key, Night, Verdict, certainty
from leadline.analysis.stats.alarms import LOOKS, in_spell
from leadline.analysis.stats.statistics import Array

# Beside the suspects of a launch, so many figures that are as usual show whether the machine is.
WITNESSES = 3

# So many suspects are measured again, or so large a part of the figures: the gravest.
_MOST = 3
_MOST_PART = 0.2

# Launches that met a slow spell are made again, until there are so many in all.
MOST_LAUNCHES = LOOKS[-1] + LOOKS[-1] // 2


class Again(NamedTuple):
    """The figures that are measured again, and those that are measured beside them."""

    suspects: tuple[Key, ...]
    witnesses: tuple[Key, ...]


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


def spell_free(
    verdict: Verdict, night: Night, again: Again, fresh: Mapping[Key, Array]
) -> dict[Key, Array]:
    """Return the fresh launches of each suspect without those in which its witnesses were slow.

    `fresh` are the logarithms of the launches' medians of suspects and witnesses.
    """
    found = {}
    for key in again.suspects:
        launches = fresh.get(key, np.zeros(0))
        beside = [
            (verdict.usual[one], fresh[one])
            for one in again.witnesses
            if night.groups[one] == night.groups[key] and len(fresh.get(one, ())) >= len(launches)
        ]
        slow = in_spell([(past, values[: len(launches)]) for past, values in beside])
        found[key] = launches[np.logical_not(slow)] if len(slow) else launches
    return found


def wanted(
    verdict: Verdict, again: Again, fresh: Mapping[Key, Array], made: int
) -> tuple[tuple[Key, ...], int]:
    """Return which suspects need more launches, and how many until the next look; none at the end.

    `fresh` are launches as `spell_free` returns them, `made` is how many were made in all.
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
    ahead = next(count for count in LOOKS if count > fewest) - fewest
    rounds = min(ahead, MOST_LAUNCHES - made)
    return (still, rounds) if rounds > 0 else ((), 0)


def measured_again(again: Again, still: Collection[Key], night: Night) -> tuple[Key, ...]:
    """Return what the next launches hold: suspects that are open, and the witnesses of theirs."""
    groups = {night.groups[key] for key in still}
    return (*still, *(key for key in again.witnesses if night.groups[key] in groups))
