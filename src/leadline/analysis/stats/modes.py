"""Modes of a distribution: how many typical values a time has, and which.

Hartigan & Hartigan's dip ("The Dip Test of Unimodality", The Annals of Statistics 13, 1985): how
far the distribution is from the nearest one with a single mode. Where that is more than chance the
samples are cut at the emptiest place between two dense ones, and the parts are tested again (as
Maurer & Plant, "SkinnyDip: Clustering in a Sea of Noise", KDD 2016).
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import Array, Integers, median_of

# So many quantiles stand for all samples: they know a distribution to an eighth of a percent.
_GRID = 400

# Hundreds of figures are tested in one run, and a mode of fewer samples belongs to the tail.
_CHANCE, _SMALLEST_SHARE = 1e-3, 0.05

# Modes have a place between them with at most this part of the density of the lesser one.
_VALLEY = 0.5

# Modes nearer than this to each other are of no use to anyone.
_APART = 1.02

# A dip this small is of no use to anyone, however sure.
_SMALLEST_DIP = 0.01

# The dip times the root of n exceeds these with these probabilities: by simulation of 200 000 times
# n = 1000 uniform samples. With n = 50 it is 7 % less.
_EXCEEDED = (0.99, 0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 1e-4)
_DIPS = (
    *(0.2405, 0.2875, 0.3325, 0.3711, 0.4162, 0.4472, 0.4934),
    *(0.535, 0.5837, 0.62, 0.6549, 0.6977, 0.7264, 0.8267),
)


# Points that are on no hull are looked for so many times, all at once, before one after the other.
_SIEVED = 8


class Mode(NamedTuple):
    """A typical time: the median of its samples, and their part of all."""

    at: float
    share: float


class Modes(NamedTuple):
    """The modes, ascending, the values that separate them, and the p-value of there being one."""

    modes: tuple[Mode, ...]
    cuts: tuple[float, ...]
    p_value: float


def modes(ordered: Array, worth: float, resolution: float = 0.0) -> Modes:
    """Return the modes of ascending samples, shape (n,), above zero or not; none of none.

    `worth` is the number of independent samples that these are worth, `resolution` the step of the
    clock in their unit: values that a clock rounds to its steps are spread over them first, since
    each step would be a mode.
    """
    if not len(ordered):
        return Modes((), (), 1.0)
    values = _spread(ordered, resolution)
    cuts: list[float] = []
    p_value = _cut(values, worth, len(values), cuts)
    cuts.sort()
    ends = [0, *np.searchsorted(ordered, cuts, side="right").tolist(), len(ordered)]
    found = tuple(
        Mode(median_of(ordered[low:high]), (high - low) / len(ordered))
        for low, high in itertools.pairwise(ends)
    )
    return Modes(found, tuple(cuts), p_value)


def dip(ordered: Array) -> float:
    """Return the dip of ascending samples, shape (n,), n >= 1: 1 / (2 n) to 1 / 4.

    The largest distance between their distribution and the nearest unimodal one, found between the
    greatest convex minorant and the least concave majorant as the source describes.
    """
    count = len(ordered)
    values, first, equal = np.unique(ordered, return_index=True, return_counts=True)
    under, upto = first.astype(float), (first + equal).astype(float)
    low, high, found = 0, len(values) - 1, 1.0
    while low < high:
        x = values[low : high + 1]
        convex, concave = (
            low + _hull(x, places[low : high + 1], side)
            for places, side in ((under, 1), (upto, -1))
        )
        at_convex = np.interp(values[convex], values[concave], upto[concave]) - under[convex]
        at_concave = upto[concave] - np.interp(values[concave], values[convex], under[convex])
        if max(at_convex.max(), at_concave.max()) <= found:
            break
        if at_convex.max() >= at_concave.max():
            left = int(convex[at_convex.argmax()])
            right = int(concave[np.searchsorted(concave, left)])
        else:
            right = int(concave[at_concave.argmax()])
            left = int(convex[np.searchsorted(convex, right, side="right") - 1])
        # A mode may hold any number of samples in one place.
        start, stop = slice(low, left), slice(right + 1, high + 1)
        before = upto[start] - np.interp(values[start], values[convex], under[convex])
        after = np.interp(values[stop], values[concave], upto[concave]) - under[stop]
        found = max(found, float(before.max(initial=0)), float(after.max(initial=0)))
        if (left, right) == (low, high):
            break
        low, high = left, right
    return found / (2 * count)


def dip_p_value(distance: float, count: float) -> float:
    """Return the probability that so many uniform samples have a dip of `distance` or more.

    Uniform is the worst case among unimodal distributions. Between the simulated probabilities, and
    beyond them, the logarithm of the probability is taken as linear.
    """
    scaled = distance * math.sqrt(count)
    if scaled <= _DIPS[0]:
        return 1.0
    logarithms = np.log(_EXCEEDED)
    if scaled <= _DIPS[-1]:
        return float(np.exp(np.interp(scaled, _DIPS, logarithms)))
    slope = (logarithms[-1] - logarithms[-2]) / (_DIPS[-1] - _DIPS[-2])
    return float(np.exp(logarithms[-1] + slope * (scaled - _DIPS[-1])))


def _hull(values: Array, places: Array, side: int) -> Integers:
    """Return the indices of the points (value, place) on the lower hull (side 1) or the upper."""
    left = np.arange(len(values))
    for _ in range(_SIEVED):
        x, y = values[left], side * places[left]
        over = (y[1:-1] - y[:-2]) * (x[2:] - x[:-2])
        inside = over >= (y[2:] - y[:-2]) * (x[1:-1] - x[:-2])
        if not inside.any():
            return left
        # What is above the line between its neighbours is on no lower hull.
        left = left[np.concatenate(([True], ~inside, [True]))]
    x, y = values[left].tolist(), (side * places[left]).tolist()
    kept: list[int] = []
    for at in range(len(left)):
        while len(kept) > 1:
            one, two = kept[-2], kept[-1]
            over = (y[two] - y[one]) * (x[at] - x[one])
            if over < (y[at] - y[one]) * (x[two] - x[one]):
                break
            kept.pop()
        kept.append(at)
    return left[kept]


def _spread(ordered: Array, resolution: float) -> Array:
    """Return quantiles of the samples, ascending, none of them equal where a clock made them so."""
    kept = np.linspace(0, len(ordered) - 1, min(len(ordered), _GRID)).round().astype(int)
    values: Array = ordered[kept]
    gaps = np.diff(values)
    steps = gaps[gaps > 1e-9 * np.abs(values[1:])]
    if len(steps) and len(steps) < len(gaps) / 2:
        resolution = max(resolution, float(steps.min()))
    if resolution <= 0:
        return values
    golden = np.arange(len(values)) * 0.6180339887498949 % 1 - 0.5
    found: Array = np.sort(values + resolution * golden)
    return found


def _cut(values: Array, worth: float, all_values: int, cuts: list[float]) -> float:
    """Add the places between the modes of `values` to `cuts`; return the p-value of none."""
    least = max(4, math.ceil(_SMALLEST_SHARE * all_values))
    if len(values) < 2 * least or (valley := _valley(values, least)) is None:
        return 1.0
    part = worth * len(values) / all_values
    # Quantiles of many samples lie on their distribution, not half a step beside it.
    distance = dip(values) - 0.5 / len(values) + 0.5 / max(part, len(values))
    p_value = dip_p_value(distance, part)
    if p_value <= _CHANCE and distance >= _SMALLEST_DIP:
        cuts.append(float(values[valley - 1 : valley + 1].mean()))
        _cut(values[:valley], worth, all_values, cuts)
        _cut(values[valley:], worth, all_values, cuts)
    return p_value


def _valley(values: Array, least: int) -> int | None:
    """Return the place before which values are cut: the emptiest between two denser stretches."""
    near = max(2, least // 2)
    width = values[near:] - values[:-near]
    # The density of the stretch between a value and its near-th next one.
    density = 1 / np.maximum(width, 1e-12 * abs(values[-1]) + 1e-300)
    left = np.maximum.accumulate(density)
    right = np.maximum.accumulate(density[::-1])[::-1]
    inside = slice(near, len(density) - near)
    lesser = np.minimum(left, right)[inside]
    if not len(lesser):
        return None
    depth = density[inside] / lesser
    at = int(depth.argmin())
    if depth[at] > _VALLEY:
        return None
    # The widest gap within the emptiest stretch.
    start = at + near
    place = start + 1 + int(np.diff(values[start : start + near + 1]).argmax())
    outside = min(place, len(values) - place) < least
    together = median_of(values[place:]) < _APART * median_of(values[:place])
    return None if outside or together else place
