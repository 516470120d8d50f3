"""The periods of detours.

How many pairs of detours lie each time apart is counted by one Fourier transform. A time that
comes up more often than chance, or than the times around it, allows is a period; its multiples come
up too, so that the shortest one counts. What a period explains is set aside, and the rest is looked
at again, which finds several at once. Nothing is asked of the detours but that they tend to come a
period after each other: neither an even shape, nor that the phase is kept for long.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.jitter.detours import Detours
from leadline.analysis.stats.statistics import Integers, Mask, Matrix, median_of, transform_length

# Of figures without any period, one is found in so many.
FALSE_ALARM = 0.01
# A period is looked for from so many slots of time to this part of the time observed. One that is
# not kept exactly shows in slots that are wider, by this factor each.
SHORTEST_SLOTS, LONGEST_PART, _WIDER, _WIDTHS = 8, 1 / 5, 4, 5
_SHUFFLES = 20
# The mean of the largest of many exponential numbers is this much above its mode.
_EULER = 0.5772
# The shortest time that comes up so much as often as the most frequent one is the period.
_HALF = 0.5
# Blocks of neighbouring distances, each this much longer, whose median is not exceeded by chance.
_BLOCK_GROWTH, _LEAST_BLOCK = 1.15, 16
# A detour belongs to a period if so many of its neighbours, one and two periods away, are there.
_NEIGHBOURS = 0.6
# What lasts so many times as long as a period's detours usually do has another cause.
_LONGER = 3.0
_MOST_PERIODS = 6
# A period that strays by more than this part of it is none, nor is one that comes in less than this
# part of its turns, or in bursts of more detours than these.
_STEADY, _COMPLETE, _BURST = 0.2, 0.5, 5.0
# What a period is missed in comes up as its small multiples.
_MULTIPLES, _SAME = 8, 0.005
# The pairs of one distance stray by so many slots. In wide slots the middle of a peak is off by as
# much as this part of one.
_PEAK, _BLUR = 3, 0.25


class Train(NamedTuple):
    """A period in seconds with the standard error of its mean, and the members of each row.

    `tolerance` in seconds is how far members stray; `present` tells which rows have it.
    """

    period: float
    error: float
    tolerance: float
    members: tuple[Integers, ...]
    present: tuple[bool, ...]


class _Found(NamedTuple):
    lag: float  # in slots of the finest width
    width: int
    score: float
    scores: tuple[float, ...]  # of each row


class _Counts(NamedTuple):
    """Pairs of detours by distance: shape (rows, distances), and what chance makes of them."""

    pairs: Matrix
    chance: Matrix


def trains(rows: Sequence[Detours], observed: Sequence[float], slot: float) -> list[Train]:
    """Return the periods in the detours of these rows, the most frequent first.

    `observed` are the seconds for which each row was looked at, `slot` the time in seconds that
    two begins may be apart and still be one. Rows, which may be of different ranks and launches,
    share periods but no phase. None is found in `FALSE_ALARM` of sets of rows without any.
    """
    count = np.array([max(2, int(seconds / slot) + 1) for seconds in observed])
    places = [
        np.minimum(((each.begin - each.begin[:1]) / slot).round().astype(int), count[i] - 1)
        for i, each in enumerate(rows)
    ]
    least = _threshold(places, count)
    left = [np.arange(len(each)) for each in places]
    found: list[Train] = []
    for _ in range(2 * _MOST_PERIODS):
        rest = [place[keep] for place, keep in zip(places, left, strict=True)]
        seen = (
            _train(rows, rest, left, count, slot, one, least)
            for one in _candidates(rest, count, least)
        )
        train = next((one for one in seen if _steady(one)), None)
        if train is None or len(found) == _MOST_PERIODS:
            break
        left = [
            np.setdiff1d(keep, members, assume_unique=True)
            for keep, members in zip(left, train.members, strict=True)
        ]
        _add(found, train)
    return found


def _add(found: list[Train], train: Train) -> None:
    """Add a train; what a period that is known left behind goes to that one."""
    for at, known in enumerate(found):
        multiple = max(1, round(train.period / known.period))
        off = abs(train.period - multiple * known.period)
        if multiple <= _MULTIPLES and off <= max(_SAME * train.period, 2 * train.error):
            members = tuple(
                np.union1d(one, other)
                for one, other in zip(known.members, train.members, strict=True)
            )
            present = tuple(map(max, known.present, train.present))
            found[at] = known._replace(members=members, present=present)
            return
    found.append(train)


def _threshold(places: Sequence[Integers], count: Integers) -> float:
    """Return the score that the largest one exceeds by chance in `FALSE_ALARM` of cases.

    The detours are put into random slots several times. A score is a logarithm of a probability,
    so that the largest of many has a Gumbel distribution of scale 1: its place is all that has to
    be estimated.
    """
    random = np.random.default_rng(len(places))
    largest = []
    for _ in range(_SHUFFLES):
        drawn = [
            np.sort(random.choice(slots, size=min(len(np.unique(place)), slots), replace=False))
            for place, slots in zip(places, count.tolist(), strict=True)
        ]
        scores = [_scores(_counts(drawn, count, width)).max(initial=0) for width in _widths(count)]
        largest.append(float(max(scores, default=0.0)))
    return float(np.mean(largest)) - _EULER - math.log(-math.log1p(-FALSE_ALARM))


def _widths(count: Integers) -> list[int]:
    longest = int(count.max())
    widths = [_WIDER**power for power in range(_WIDTHS)]
    return [width for width in widths if longest * LONGEST_PART / width > 2 * SHORTEST_SLOTS]


def _counts(places: Sequence[Integers], count: Integers, width: int) -> _Counts:
    """Return pairs by distance in slots of so many of the finest, from `SHORTEST_SLOTS` on."""
    longest = int(count.max() * LONGEST_PART / width) + 2
    pairs = np.zeros((len(places), longest))
    chance = np.zeros((len(places), longest))
    for row, (place, slots) in enumerate(zip(places, count.tolist(), strict=True)):
        coarse = int(slots // width) + 1
        here = np.bincount(place // width, minlength=coarse).astype(float)
        reach = min(longest, coarse)
        # So long that what is wrapped around begins beyond what is looked at.
        size = transform_length(coarse + reach)
        spectrum = np.abs(np.fft.rfft(here, size)) ** 2
        pairs[row, :reach] = np.fft.irfft(spectrum, size)[:reach].round()
        overlap = coarse - np.arange(reach)
        chance[row, :reach] = overlap * (here.sum() / coarse) ** 2
    joined = slice(SHORTEST_SLOTS, -1)
    following = slice(SHORTEST_SLOTS + 1, None)
    return _Counts(pairs[:, joined] + pairs[:, following], chance[:, joined] + chance[:, following])


def _scores(counts: _Counts) -> Matrix:
    """Return, for each distance, minus the logarithm of a bound on the probability of its pairs.

    Chernoff's bound for a Poisson number: c log(c / e) - c + e for c where e are expected, which is
    the larger one of what chance gives and of the median of the distances around.
    """
    pairs, chance = counts.pairs.sum(axis=0), counts.chance.sum(axis=0)
    around = np.zeros_like(pairs)
    start = 0
    while start < len(pairs):
        end = max(start + _LEAST_BLOCK, int((start + SHORTEST_SLOTS) * _BLOCK_GROWTH))
        if len(pairs) - end < _LEAST_BLOCK:
            end = len(pairs)
        around[start:end] = median_of(pairs[start:end])
        start = end
    return _bound(pairs, np.maximum(chance, around))


def _bound(pairs: Matrix, expected: Matrix) -> Matrix:
    expected = np.maximum(expected, 1e-9)
    ratio = np.maximum(pairs / expected, 1.0)
    found: Matrix = np.where(pairs > expected, pairs * np.log(ratio) - pairs + expected, 0.0)
    return found


def _candidates(places: Sequence[Integers], count: Integers, least: float) -> list[_Found]:
    """Return for each width the period that is no chance, in slots, the least likely one first."""
    found = []
    for width in _widths(count):
        counts = _counts(places, count, width)
        scores = _scores(counts)
        if not len(scores) or float(scores.max()) <= least:
            continue
        pairs, chance = counts.pairs.sum(axis=0), counts.chance.sum(axis=0)
        distance = np.arange(len(pairs)) + SHORTEST_SLOTS
        # Fewer pairs can be far apart than near.
        share = (pairs - chance) / np.maximum(count.sum() / width - len(count) * distance, 1.0)
        often = (share >= _HALF * share[scores.argmax()]) & (scores > least)
        at = int(np.flatnonzero(often)[0])
        # A period lies between two distances, so that its neighbours have some of its pairs.
        at += int(pairs[at : at + 2].argmax())
        rows = _bound(counts.pairs[:, at], counts.chance[:, at])
        lag = (at + SHORTEST_SLOTS + 0.5) * width
        found.append(_Found(lag, width, float(scores.max()), tuple(rows.tolist())))
    return sorted(found, key=lambda one: -one.score)


def _steady(train: Train) -> bool:
    """Tell whether a train keeps its period: bursts, too, come some time after each other."""
    return train.tolerance <= _STEADY * train.period and any(train.present)


def _regular(place: Integers, period: float, slots: int) -> bool:
    turns = len({*(place // period).tolist()})
    return turns >= _COMPLETE * slots / period and len(place) <= _BURST * turns


def _train(
    rows: Sequence[Detours],
    places: Sequence[Integers],
    left: Sequence[Integers],
    count: Integers,
    slot: float,
    found: _Found,
    least: float,
) -> Train:
    lag, spread, times = _sharpen(places, count, found, least)
    period = lag / times
    tolerance = max(1.5 * found.width, 2 * spread)
    stretches = max(1.0, float(count.max()) / lag)
    blur = _BLUR * found.width if found.width > 1 else 0.0
    sure = math.log(len(rows) / FALSE_ALARM)
    chosen = []
    for at, (row, place, keep) in enumerate(zip(rows, places, left, strict=True)):
        slots = int(count[at])
        member = _members(place, period, tolerance, slots)
        if found.scores[at] <= sure or not _regular(place[member], period, slots):
            member[:] = False
        kept = keep[member]
        typical = median_of(row.duration[kept]) if len(kept) else 0.0
        chosen.append(kept[row.duration[kept] <= _LONGER * typical])
    return Train(
        period=period * slot,
        error=(max(spread, 0.3) / math.sqrt(stretches) + blur) / times * slot,
        tolerance=tolerance * slot,
        members=tuple(chosen),
        present=tuple(len(members) > 0 for members in chosen),
    )


def _sharpen(
    places: Sequence[Integers], count: Integers, found: _Found, least: float
) -> tuple[float, float, int]:
    """Return a multiple of the period in slots, how far it scatters, and which multiple it is.

    The distance is doubled as long as it still comes up: the longer, the better the period is
    known.
    """
    counts = _counts(places, count, found.width)
    more = counts.pairs.sum(axis=0) - counts.chance.sum(axis=0)
    likely = _scores(counts) > least / 2
    wanted, times = found.lag / found.width, 1
    best = (wanted, 0.5, times)
    while (seen := _peak(more, likely, wanted)) is not None:
        best = (*seen, times)
        wanted, times = 2 * seen[0], 2 * times
    lag, spread, times = best
    return lag * found.width, spread * found.width, times


def _peak(more: Matrix, likely: Mask, wanted: float) -> tuple[float, float] | None:
    """Return where about this distance most pairs lie and how far these scatter, if any do."""
    first = round(wanted) - SHORTEST_SLOTS - _PEAK
    window = np.arange(max(first, 0), min(first + 2 * _PEAK + 1, len(more)))
    if not len(window) or not likely[window].any():
        return None
    weight = np.where(more[window] > 0.1 * more[window].max(), more[window], 0.0)
    # The pairs of two neighbouring distances lie between them.
    distance = window + SHORTEST_SLOTS + 0.5
    centre = float(weight @ distance / weight.sum())
    return centre, float((weight @ (distance - centre) ** 2 / weight.sum()) ** 0.5)


def _members(place: Integers, period: float, tolerance: float, slots: int) -> Mask:
    hits, expected = np.zeros(len(place)), np.zeros(len(place))
    if not len(place):
        return np.zeros(0, dtype=bool)
    for far in (-2, -1, 1, 2):
        wanted = place + far * period
        near = np.searchsorted(place, wanted - tolerance, side="left")
        there = place[np.minimum(near, len(place) - 1)]
        hits += np.abs(there - wanted) <= tolerance
        expected += (wanted >= 0) & (wanted < slots)
    found: Mask = (expected > 0) & (hits > _NEIGHBOURS * expected)
    return found
