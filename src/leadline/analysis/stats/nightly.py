"""Nights: what earlier nights lead one to expect of a figure, and whether tonight is slower.

A figure has launches within nights, so its level scatters by two variances: of launches, which
more launches make small, and of nights, which only nights tell (a one-way layout with random
effects; Searle, Casella & McCulloch, "Variance Components", 1992, chapter 3). Both are drawn
towards those of the other figures by as much as these are alike (`rotation.moderate`).
"""

import math
from collections.abc import Sequence
from statistics import fmean, median
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats import rotation
from leadline.analysis.stats.permutation import steady
from leadline.analysis.stats.statistics import UNKNOWN, Array
from leadline.analysis.stats.student import two_sided

# So many nights show how far nights differ.
FEWEST_NIGHTS = 3

# How probable a false alarm may be in a night, over all figures and looks together.
NIGHT_CHANCE = 0.01

# A figure so improbably slow is measured again: of a hundred that are not, one.
SUSPICION = 0.01

# A level that so few nights had is no state of the machine: one of six at most, by so many median
# absolute deviations above the others, which a normal distribution has one time in a thousand.
_SELDOM = 6
_LONE = 4.58

# Nights may differ by at least half a percent, and by a quarter of the variance of their levels,
# however well that of the launches explains it: neither is known well.
_LEAST_VARIANCE = 0.005**2
_LEAST_PART = 0.25

# Fewer figures do not tell how far figures differ.
_FIGURES = 5


class Level(NamedTuple):
    """The mean logarithm of the steady ones of some launches, and how many these are.

    `squares` is the sum of the squares of their distances from it.
    """

    value: float
    launches: int
    squares: float = 0.0


class Usual(NamedTuple):
    """What one expects of a figure: its level, a logarithm, and by what variances it scatters."""

    level: float
    nights: int
    launches: int
    between: float
    within: float
    freedom: float

    def error(self, launches: int) -> float:
        """Return the standard error of the difference of so many launches of one more night."""
        return math.sqrt(
            self.between * (1 + 1 / self.nights)
            + self.within * (1 / launches + 1 / max(1, self.launches))
        )

    def chance(self, level: Level, also: float = 0.0) -> float:
        """Return how probable a level so much above the usual one is, where nothing changed.

        `also` is a variance that the night has beside its own. It is 1 without launches.
        """
        if not level.launches:
            return 1.0
        error = math.hypot(self.error(level.launches), math.sqrt(also))
        return self._tail((level.value - self.level) / error)

    def chance_of_two(self, one: Level, other: Level) -> float:
        """Return the same of the mean of two nights."""
        if not min(one.launches, other.launches):
            return 1.0
        error = math.sqrt(
            self.between * (1 / 2 + 1 / self.nights)
            + self.within
            * ((1 / one.launches + 1 / other.launches) / 4 + 1 / max(1, self.launches))
        )
        return self._tail(((one.value + other.value) / 2 - self.level) / error)

    def _tail(self, t: float) -> float:
        tail = two_sided(abs(t), self.freedom) / 2
        return tail if t > 0 else 1 - tail


def level_of(logarithms: Array) -> Level:
    """Return the level of launches, the logarithms of whose medians are given, shape (n,).

    It is 0 of none.
    """
    if not len(logarithms):
        return Level(0.0, 0)
    chosen = [math.log(each) for each in steady(np.exp(logarithms).tolist())]
    value = sum(chosen) / len(chosen)
    return Level(value, len(chosen), sum((each - value) ** 2 for each in chosen))


def learn(past: Sequence[Sequence[Level]]) -> list[Usual]:
    """Return what to expect of each figure, from the levels of `FEWEST_NIGHTS` nights or more.

    Lone nights that stand out are no state of the machine, and not counted, as those without any
    launch. Of fewer nights anything is expected.
    """
    found: dict[int, Usual] = {}
    cleaned = _without_lone([[night for night in each if night.launches] for each in past])
    counts = [len(nights) for nights in cleaned]
    for count in set(counts):
        if count < FEWEST_NIGHTS:
            continue
        group = [index for index, each in enumerate(counts) if each == count]
        found |= zip(group, _learn_alike([cleaned[index] for index in group]), strict=True)
    return [found.get(index) or _anything(nights) for index, nights in enumerate(cleaned)]


def _anything(nights: Sequence[Level]) -> Usual:
    level = fmean(night.value for night in nights) if nights else 0.0
    launches = sum(night.launches for night in nights)
    return Usual(level, max(1, len(nights)), launches, UNKNOWN**2, 0.0, 1.0)


def _learn_alike(past: Sequence[Sequence[Level]]) -> list[Usual]:
    nights, freedom = len(past[0]), len(past[0]) - 1
    levels = np.array([[night.value for night in each] for each in past])
    counts = np.array([[night.launches for night in each] for each in past])
    squares = np.array([sum(night.squares for night in each) for each in past])
    means = levels.mean(axis=1)
    centred = levels - means[:, None]
    observed = np.maximum(np.square(centred).sum(axis=1) / freedom, _LEAST_VARIANCE / 4)
    worth = rotation.independent_figures(centred, freedom)
    total, prior = rotation.moderate(observed[:, None], freedom, worth)
    inside = counts.sum(axis=1) - nights
    within = np.maximum(squares / np.maximum(inside, 1), 1e-8)
    if inside.min() > 0:
        within = rotation.moderate(within[:, None], float(np.median(inside)))[0][:, 0]
    variances = np.maximum(total[:, 0], _LEAST_VARIANCE)
    # A variance of levels is that of nights and a part of that of launches.
    between = _alike(variances - within * (1 / counts).mean(axis=1), variances, freedom)
    between = np.maximum(between, _LEAST_PART * variances)
    return [
        Usual(
            float(level), nights, int(launches), float(one), float(two), freedom + float(prior[0])
        )
        for level, launches, one, two in zip(
            means, counts.sum(axis=1), between, within, strict=True
        )
    ]


def _alike(between: Array, variances: Array, freedom: float) -> Array:
    """Return the variances of nights drawn towards those of the other figures.

    Each is known as badly as the variance of levels that it is a part of, which may be a large
    multiple of it (an empirical Bayes estimate; Efron & Morris, "Data Analysis Using Stein's
    Estimator and its Generalizations", JASA 70, 1975, section 2).
    """
    if len(between) < _FIGURES:
        return between
    noise = 2 * np.square(variances) / freedom
    spread = max(0.0, float(between.var(ddof=1) - noise.mean()))
    weight = spread / (spread + noise)
    drawn = np.asarray(weight * between + (1 - weight) * max(0.0, float(between.mean())))
    # A figure whose nights differ more than the others' would be the one of the false alarms.
    return np.maximum(drawn, (drawn + between) / 2)


def _without_lone(past: Sequence[Sequence[Level]]) -> list[list[Level]]:
    """Return the nights of each figure without the few that stand out above all others.

    The scale is that of the figure itself, at least that of a typical one.
    """
    middles = [median(night.value for night in each) if each else 0.0 for each in past]
    deviations = [
        median(abs(night.value - middle) for night in each) if each else 0.0
        for each, middle in zip(past, middles, strict=True)
    ]
    least = max(median(deviations) if deviations else 0.0, math.sqrt(_LEAST_VARIANCE))
    found = []
    for nights, middle, mine in zip(past, middles, deviations, strict=True):
        highest = middle + _LONE * max(mine, least)
        kept = [night for night in nights if night.value <= highest]
        lone = len(nights) - len(kept)
        few = lone * _SELDOM <= max(len(nights), _SELDOM) and len(kept) >= FEWEST_NIGHTS
        found.append(kept if few else list(nights))
    return found
