"""Like with like: the launches of two figures that met the same state of the machine.

Which launches are held against each other is chosen by the yardsticks alone. Launches of one state
that do the same differ by chance only, whichever side they are of: so the choice favours none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from leadline.analysis.results.states import States, launch_readings
from leadline.model.comparison import ComparedStates
from leadline.model.summary import PointSummary

Pair = tuple[PointSummary, PointSummary]

# Of both sides of a pair: the state of each launch, and the positions of those that are kept.
Met = tuple[tuple[int | None, ...], ...]
Kept = tuple[tuple[int, ...], ...]

# All figures of the same launches keep the same ones where that leaves each this share of its own.
_COMMON = 0.5


class Like(NamedTuple):
    """Two figures by what is comparable of them, and the states, None where there is only one.

    `kept` are the positions of the launches that are left of each side, None for all.
    """

    base: PointSummary
    other: PointSummary
    states: ComparedStates | None = None
    kept: tuple[tuple[int, ...], ...] | None = None


def like_with_like(pairs: Sequence[Pair], fewest: int) -> list[Like]:
    """Return each pair with only those launches that met the same state of the machine.

    `pairs` are of the same launches and judged together. Where no state has `fewest` launches of
    each side, or as many as there are, both sides are whole and `apart`. Of a side without any
    reading nothing is known, and all launches are taken.
    """
    sides = [(launch_readings(base), launch_readings(other)) for base, other in pairs]
    found = States(each for pair in sides for side in pair for each in side)
    known = all(any(each.round_trips_s for each in side) for pair in sides for side in pair)
    if not (found.are_several and known):
        return [Like(*pair) for pair in pairs]
    met = [tuple(tuple(found.of(each) for each in side) for side in pair) for pair in sides]
    enough = [tuple(min(fewest, len(side)) for side in pair) for pair in met]
    together = _together(met, enough)
    return [
        _like(pair, states, found, keep)
        for pair, states, keep in zip(pairs, met, together, strict=True)
    ]


def _together(met: Sequence[Met], enough: Sequence[tuple[int, ...]]) -> list[Kept | None]:
    """Return the launches that each pair keeps of both sides, None where there are too few.

    The same ones for all pairs where that costs none of them much: together they say more.
    """
    alone = [_kept(each, _state(each)) for each in met]
    fits = [
        all(len(side) >= least for side, least in zip(kept, needed, strict=True))
        for kept, needed in zip(alone, enough, strict=True)
    ]
    if all(fits) and len({_state(each) for each in met}) == 1:
        common = tuple(
            tuple(sorted(set[int].intersection(*(set(kept[side]) for kept in alone))))
            for side in (0, 1)
        )
        if all(
            len(common[side]) >= max(needed[side], _COMMON * len(kept[side]))
            for kept, needed in zip(alone, enough, strict=True)
            for side in (0, 1)
        ):
            return [common] * len(met)
    return [kept if fit else None for kept, fit in zip(alone, fits, strict=True)]


def _state(met: Met) -> int | None:
    """Return the state that most launches of the side with fewer of them met; the fastest of two.

    None where no launch met a known one.
    """
    counts = [Counter(state for state in side if state is not None) for side in met]
    known = sorted(set().union(*counts))
    return max(known, key=lambda state: min(each[state] for each in counts), default=None)


def _kept(met: Met, state: int | None) -> Kept:
    return tuple(
        tuple(index for index, each in enumerate(side) if each == state and state is not None)
        for side in met
    )


def _like(pair: Pair, met: Met, found: States, kept: Kept | None) -> Like:
    if len(set(met[0] + met[1])) == 1 and met[0][0] is not None:
        return Like(*pair)
    state = _state(met)
    of_base, of_other = kept or _kept(met, state)
    states = ComparedStates(
        state=state,
        times=None if state is None else found.times(state),
        base_launches=len(of_base),
        other_launches=len(of_other),
        apart=kept is None,
    )
    if kept is None:
        return Like(*pair, states)
    return Like(restricted(pair[0], of_base), restricted(pair[1], of_other), states, kept)


def restricted(point: PointSummary, launches: Sequence[int]) -> PointSummary:
    """Return a figure as those of its launches show it, by their position, of which there is one.

    Its interval is left out where any launch is.
    """
    if list(launches) == list(range(len(point.launch_medians_s))):
        return point
    medians = tuple(point.launch_medians_s[position] for position in launches)
    known = launch_readings(point)
    return msgspec.structs.replace(
        point,
        launches=len(medians),
        launch_medians_s=medians,
        readings=tuple(known[position] for position in launches) if point.readings else (),
        median_s=float(np.median(medians)),
        ci95_low_s=None,
        ci95_high_s=None,
        ci95_method="none: of the launches that are compared",
    )
