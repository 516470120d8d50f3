"""The states of the machine: which launches met it slower than usual, by its yardsticks alone.

On a virtual or busy machine everything between two cores takes several times as long for seconds at
a time. The probe measures yardsticks around its points. States are found from these and never from
the figures, so that no regression is taken for a state: of launches that met the same state, what
is left to tell them apart is chance, and what is measured.

Which launches of two figures are held against each other is chosen by the yardsticks alone.
Launches of one state that do the same differ by chance only, whichever side they are of: so the
choice favours none.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import geometric_mean, median_low
from typing import NamedTuple

import msgspec
import numpy as np

from leadline.model.comparison import ComparedStates
from leadline.model.run import Launch, Run
from leadline.model.summary import LaunchReadings, PointSummary

# States differ by this factor or more: of less, figures tell little.
SEPARATION = 1.25

# Two levels are apart by so many standard deviations of the readings of one level. Two normal
# readings are that far apart with a probability of 0.0004, neighbours among more of them less
# often.
_DEVIATIONS = 5.0

# The median of the distances of two normal values, in standard deviations.
_MEDIAN_DISTANCE = 0.954

# The share of the launches that a state needs so that the figure is that of the state.
_SHARE = 1 / 3


class Spell(NamedTuple):
    """So many `launches` of `of` met the machine slower, its cores `times` farther apart."""

    launches: int
    of: int
    times: float


class Levels(NamedTuple):
    """The levels of round trips in seconds, ascending, and what lies between them."""

    seconds: tuple[float, ...]
    cuts: tuple[float, ...]

    def of(self, round_trip_s: float) -> int:
        """Return the number of the level that a round trip belongs to."""
        return sum(round_trip_s > cut for cut in self.cuts)


class States:
    """The states of all launches whose readings are given, and so of any of them.

    States of the same cores are found together, whichever run they are of.
    """

    def __init__(self, readings: Iterable[LaunchReadings]) -> None:
        rows: dict[str, dict[tuple[float, ...], None]] = defaultdict(dict)
        for each in readings:
            if each.round_trips_s:
                rows[each.cores][each.round_trips_s] = None
        self._levels: Mapping[str, Levels] = {
            cores: levels(list(of_cores)) for cores, of_cores in rows.items()
        }

    @property
    def are_several(self) -> bool:
        """Whether there is more than one."""
        return any(each.cuts for each in self._levels.values())

    def of(self, readings: LaunchReadings) -> int | None:
        """Return the state that a launch met: 0 for the fastest; None if it changed or is unknown.

        Before a point and after it the readings must be of one level.
        """
        met = self.met(readings)
        return met.pop() if len(met) == 1 else None

    def met(self, readings: LaunchReadings) -> set[int]:
        """Return every state that was read."""
        found = self._levels.get(readings.cores)
        return {found.of(each) for each in readings.round_trips_s} if found else set()

    def times(self, state: int) -> float:
        """Return how many times as far apart cores are as in the fastest state."""
        known = [one.seconds for one in self._levels.values() if len(one.seconds) > state]
        return max((one[state] / one[0] for one in known), default=1.0)


def levels(rows: Sequence[Sequence[float]]) -> Levels:
    """Return the levels of round trips in seconds, of which each row has some that follow in time.

    A level ends where the next longer reading takes `SEPARATION` times as long or more, and is five
    standard deviations away. The deviation is that of readings which follow each other, a robust
    one: spells change few of them. Readings that drift slowly are one level.
    """
    ordered = sorted(seconds for row in rows for seconds in row)
    if not ordered:
        return Levels((), ())
    steps = [abs(math.log(after / before)) for row in rows for before, after in pairwise(row)]
    deviation = median_low(steps) / _MEDIAN_DISTANCE if steps else 0.0
    gap = max(math.log(SEPARATION), _DEVIATIONS * deviation)
    cuts = tuple(
        math.sqrt(low * high) for low, high in pairwise(ordered) if math.log(high / low) >= gap
    )
    parts: dict[int, list[float]] = defaultdict(list)
    for seconds in ordered:
        parts[sum(seconds > cut for cut in cuts)].append(seconds)
    return Levels(tuple(geometric_mean(parts[number]) for number in sorted(parts)), cuts)


def readings_by_point(launch: Launch) -> dict[int, LaunchReadings]:
    """Return what was read around each point of a launch, by the point's index."""
    known = [(each.points, each.round_trip_s) for each in launch.readings if each.round_trip_s]
    cores = cores_of(launch) if known else ""
    found = {}
    for position, result in enumerate(launch.points):
        before = [seconds for points, seconds in known if points <= position]
        after = [seconds for points, seconds in known if points > position]
        around = (before[-1], after[0]) if before and after else ()
        found[result.point] = LaunchReadings(cores=cores if around else "", round_trips_s=around)
    return found


def all_readings(launch: Launch) -> LaunchReadings:
    """Return all that the yardsticks of a launch read."""
    found = tuple(each.round_trip_s for each in launch.readings if each.round_trip_s)
    return LaunchReadings(cores=cores_of(launch) if found else "", round_trips_s=found)


def cores_of(launch: Launch) -> str:
    """Return a short word for the hosts and cores of a launch's ranks, in their order."""
    places = "\n".join(f"{rank.host} {rank.cpus}" for rank in launch.ranks)
    return f"{zlib.crc32(places.encode()):08x}"


def usual_state(met: Sequence[int | None]) -> int | None:
    """Return the state that a figure is of: the fastest that a third of its launches met.

    Else the one that most of them met; None where none is known.
    """
    known = [state for state in met if state is not None]
    counts = {state: known.count(state) for state in sorted(set(known))}
    enough = [state for state, count in counts.items() if count >= _SHARE * len(met)]
    return enough[0] if enough else max(counts, key=lambda state: counts[state], default=None)


def slow_spell(run: Run) -> Spell | None:
    """Return how many launches of a run met a slower state of the machine, None where none did."""
    rows = [all_readings(launch) for launch in run.launches]
    found = States(rows)
    met = [found.met(each) for each in rows]
    slow = [max(states) for states in met if states and max(states) > 0]
    return Spell(len(slow), len(rows), found.times(max(slow))) if slow else None


def pooled_readings(figures: Sequence[PointSummary]) -> tuple[LaunchReadings, ...]:
    """Return the readings of all launches of `figures`, one after the other as their medians.

    Empty where none has any.
    """
    found = tuple(each for figure in figures for each in launch_readings(figure))
    return found if any(each.round_trips_s for each in found) else ()


def launch_readings(figure: PointSummary) -> tuple[LaunchReadings, ...]:
    """Return the readings of each launch of a figure, empty ones where nothing is known."""
    count = len(figure.launch_medians_s)
    return figure.readings if len(figure.readings) == count else (LaunchReadings(),) * count


def met_alike(
    one: PointSummary, other: PointSummary
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the medians of two figures of one run in the launches that met the same state in both.

    All of them where fewer than two launches did, or where a launch is missing in one.
    """
    whole = one.launch_medians_s, other.launch_medians_s
    sides = launch_readings(one), launch_readings(other)
    found = States(each for side in sides for each in side)
    if not found.are_several or len(whole[0]) != len(whole[1]):
        return whole
    met = [(found.of(above), found.of(below)) for above, below in zip(*sides, strict=True)]
    alike = [n for n, (above, below) in enumerate(met) if above == below and above is not None]
    if len(alike) < 2:
        return whole
    above, below = (tuple(seconds[position] for position in alike) for seconds in whole)
    return above, below


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
    """Return the launches that each pair keeps of both sides, None where there are too few."""
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
        read = [s for side in pair for each in launch_readings(side) for s in each.round_trips_s]
        span = max(read) / min(read) if read else None
        return Like(*pair, msgspec.structs.replace(states, span=span))
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
