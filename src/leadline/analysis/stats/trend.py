"""Changes in time: of level, and the length of the warm-up.

A change point is where a series in time goes to another level, and stays there. Ranks only, so that
a few long times are no change: Pettitt's test ("A Non-Parametric Approach to the Change-Point
Problem", Applied Statistics 28, 1979), again on both sides of each change that is found (binary
segmentation; Vostrikova, Soviet Mathematics Doklady 24, 1981).
"""

import itertools
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.ranks import rank_test
from leadline.analysis.stats.statistics import Array

# Hundreds of series are tested in one run.
CHANCE = 1e-3

# A level that lasts for fewer values than this is a disturbance.
_SHORTEST = 4

# What is left of a series beside its likeliest stretches tells how alike neighbours are without
# changes. Series from this length on are cut into four, shorter ones into two.
_LONG = 48


class Change(NamedTuple):
    """The first value of the new level, and how many times the old level it is."""

    position: int
    factor: float


def changes(values: Array, chance: float = CHANCE) -> list[Change]:
    """Return the changes of level in `values`, in the order of time, shape (n,), above zero.

    Each has at most the probability `chance` where the level never changes. Neighbours that are
    alike count as fewer values. Meant for some hundred values: longer series come as
    `block_medians`. Fewer than 10 values never show a change.
    """
    if len(values) < 2 * _SHORTEST:
        return []
    found: list[int] = []
    _segment(values, 0, chance, _part(values), found)
    ends = [0, *sorted(found), len(values)]
    levels = [float(np.median(values[low:high])) for low, high in itertools.pairwise(ends)]
    return [
        Change(position, after / before)
        for position, before, after in zip(sorted(found), levels, levels[1:], strict=False)
        if before > 0
    ]


def block_medians(values: Array, blocks: int) -> Array:
    """Return the medians of so many equal stretches of `values`, or `values` if they are fewer.

    Shape (n,) to (min(n, blocks),). The last values are left out where they do not fill a stretch.
    """
    size = len(values) // blocks
    if size < 2:
        return values[:blocks] if len(values) > blocks else values
    found: Array = np.median(values[: size * blocks].reshape(blocks, size), axis=1)
    return found


def independence(residuals: Array, stretches: int = 1) -> float:
    """Return which part of the values is independent if each is alike its predecessor, above 0.

    (1 - r) / (1 + r) with the correlation r of neighbours, as for a first-order autoregression
    (Bayley & Hammersley, "The 'Effective' Number of Independent Observations in an Autocorrelated
    Time Series", Journal of the Royal Statistical Society, Supplement 8, 1946); at most 1. The
    means of so many `stretches` were taken off, which makes neighbours less alike than they are
    (Kendall, "Note on Bias in the Estimation of Autocorrelation", Biometrika 41, 1954).
    """
    if len(residuals) < 3:
        return 1.0
    centred = residuals - residuals.mean()
    power = float(centred @ centred)
    if power == 0:
        return 1.0
    taken = min(stretches / len(centred), 0.1)
    alike = (float(centred[1:] @ centred[:-1]) / power + taken) / (1 - 4 * taken)
    # What chance makes of unlike neighbours is not corrected for.
    alike = 0.0 if alike < 1.65 / len(centred) ** 0.5 else min(alike, 0.99)
    return (1 - alike) / (1 + alike)


def _segment(values: Array, offset: int, chance: float, part: float, found: list[int]) -> None:
    count = len(values)
    if count < 2 * _SHORTEST:
        return
    position, distance = _split(values)
    if 2 * math.exp(-6 * distance**2 * part / (count**3 + count**2)) > chance:
        return
    found.append(offset + position)
    _segment(values[:position], offset, chance, part, found)
    _segment(values[position:], offset + position, chance, part, found)


def _split(values: Array) -> tuple[int, float]:
    """Return where the ranks before and after differ most, and Pettitt's statistic of it."""
    count = len(values)
    away = 2 * np.cumsum(_ranks(values)) - np.arange(1, count + 1) * (count + 1)
    inside = np.abs(away[_SHORTEST - 1 : count - _SHORTEST + 1])
    return int(inside.argmax()) + _SHORTEST, float(inside.max())


def _part(values: Array) -> float:
    levels = 2 if len(values) >= _LONG else 1
    return independence(_rank_within_levels(values, levels), 2**levels)


def _rank_within_levels(values: Array, levels: int) -> Array:
    """Return the ranks of the values within the likeliest stretches, so many halvings deep."""
    if not levels or len(values) < 2 * _SHORTEST:
        return (_ranks(values) - (len(values) + 1) / 2) / len(values)
    position, _ = _split(values)
    sides = values[:position], values[position:]
    return np.concatenate([_rank_within_levels(side, levels - 1) for side in sides])


def _ranks(values: Array) -> Array:
    ordered = np.sort(values)
    below, with_equals = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    found: Array = (below + with_equals + 1) / 2
    return found


_BATCH = 5
_MOST_BATCHES = 400
_ABOUT = 1.05


class WarmUp(NamedTuple):
    """How many values come first, how many times the others they are, and the p-value of none."""

    length: int
    factor: float
    p_value: float


def warm_up(launches: Sequence[Array]) -> WarmUp | None:
    """Return how many of the first values of every launch are unlike the others, None for none.

    `launches` holds the values of each in the order of time, above zero. Where to cut is MSER-5's
    answer (White, Cobb & Spratt, "A Comparison of Five Steady-State Truncation Heuristics for
    Simulation", WSC 2000) on batches of 5: the cut that leaves the mean of the rest known best, if
    it is in the first half. A batch's value is the median, over launches, of its median, so that
    neither one long time nor one launch decides. Whether it is chance, Mann & Whitney's test says.
    """
    length = min((len(values) for values in launches), default=0) // _BATCH
    if length < 10:
        return None
    batches = min(length, _MOST_BATCHES)
    # Long launches are seen in batches of more values, not cut.
    size = length // batches * _BATCH
    table = np.stack([values[: batches * size].reshape(batches, size) for values in launches])
    medians = np.median(table, axis=2)
    levels = np.median(medians, axis=1, keepdims=True)
    if not np.all(levels > 0):
        return None
    series = np.median(medians / levels, axis=0)
    cut = _truncation(series)
    if not cut:
        return None
    early, rest = series[:cut], series[cut:]
    # The p-value of as many independent batches as these are worth.
    away = NormalDist().inv_cdf(max(rank_test(early, rest) / 2, 1e-300))
    p_value = 2 * NormalDist().cdf(away * math.sqrt(independence(rest)))
    return WarmUp(cut * size, float(np.median(early) / np.median(rest)), p_value)


def _truncation(series: Array) -> int:
    """Return how many values to leave out so that the error of the rest is about the smallest."""
    left = np.arange(len(series), 0, -1)
    sums = np.cumsum(series[::-1])[::-1]
    squares = np.cumsum(series[::-1] ** 2)[::-1]
    error = (squares - sums**2 / left) / left**2
    possible = error[: max(len(series) - 5, 1)]
    # Luck alone makes some longer cut a little better still.
    cut = int((possible <= possible.min() * _ABOUT).argmax())
    return cut if cut <= len(series) // 2 else 0
