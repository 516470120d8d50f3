"""The shape of the samples of one result: modes, warm-up, changes of level."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from leadline.analysis.stats.launches import quantile_over_launches
from leadline.analysis.stats.modes import modes
from leadline.analysis.stats.statistics import Array, Integers, median_of
from leadline.analysis.stats.trend import CHANCE, block_medians, changes, warm_up
from leadline.model.noise import LevelChange, Mode, Shape

# So many medians of equal stretches stand for a launch where time matters.
_BLOCKS = 64

# What is less than this far from no difference is of no use to anyone, however sure.
_SMALLEST = 1.02

# Modes follow something that explains this part of who has which.
_EXPLAINS = 0.5

# A pattern is looked for in so many repetitions, up to periods of so many.
_LOOKED_AT, _LONGEST_PERIOD = 4096, 64


class _Pattern(NamedTuple):
    follow: Any
    period: int | None = None


def shape_of(
    launches: Sequence[Array],
    numbers: Sequence[int],
    ordered: Array,
    worth: float,
    resolution: float = 0.0,
) -> Shape:
    """Return what the samples of a figure show.

    `launches` holds, for each launch, seconds in the order of measurement (none is empty),
    `numbers` the launches' numbers, `ordered` the seconds of all of them, ascending, `worth` how
    many independent samples they are worth, `resolution` the step in seconds that the clock leaves
    in a sample.
    """
    found = modes(ordered, worth, resolution)
    pattern = _pattern(launches, found.cuts) if len(found.modes) > 1 else _Pattern(None)
    blocks = [block_medians(values, _BLOCKS) for values in launches]
    early = warm_up(launches)
    warm = early is not None and early.p_value <= CHANCE and _matters(early.factor)
    return Shape(
        effective_samples=worth,
        **_quantiles(launches),
        modes=tuple(Mode(at_s=mode.at, fraction=mode.share) for mode in found.modes),
        modes_follow=pattern.follow,
        modes_period=pattern.period,
        warm_up_repetitions=early.length if early and warm else 0,
        warm_up_factor=early.factor if early and warm else None,
        changes=tuple(_changes(launches, blocks, numbers)),
    )


def _quantiles(launches: Sequence[Array]) -> dict[str, Any]:
    found: dict[str, float] = {}
    for name, quantile in (("p90", 0.90), ("p99", 0.99)):
        interval = quantile_over_launches(launches, quantile)
        if interval:
            found |= {f"{name}_low_s": interval.low, f"{name}_high_s": interval.high}
    return found


def _matters(factor: float) -> bool:
    return factor >= _SMALLEST or factor <= 1 / _SMALLEST


def _changes(
    launches: Sequence[Array], blocks: Sequence[Array], numbers: Sequence[int]
) -> list[LevelChange]:
    found = []
    levels = np.array([median_of(each) for each in blocks])
    for change in changes(levels):
        if _matters(change.factor):
            number = numbers[change.position]
            found.append(LevelChange(launch=number, repetition=None, factor=change.factor))
    for values, each, number in zip(launches, blocks, numbers, strict=True):
        size = max(len(values) // len(each), 1)
        found += [
            LevelChange(launch=number, repetition=change.position * size, factor=change.factor)
            for change in changes(each)
            if _matters(change.factor)
        ]
    return found


def _pattern(launches: Sequence[Array], cuts: Sequence[float]) -> _Pattern:
    above = [np.searchsorted(cuts, values, side="right") for values in launches]
    counts = np.stack([np.bincount(each, minlength=len(cuts) + 1) for each in above])
    total = counts.sum()
    mixed = 1 - float(((counts.sum(axis=0) / total) ** 2).sum())
    within = 1 - float(((counts**2).sum(axis=1) / counts.sum(axis=1)).sum() / total)
    # Goodman and Kruskal's tau: which part of the uncertainty about the mode knowing the launch
    # takes away.
    if len(launches) > 1 and 1 - within / mixed >= _EXPLAINS:
        return _Pattern("launch")
    longest = max(above, key=len)[:_LOOKED_AT]
    alike = _alike(longest)
    if not len(alike):
        return _Pattern("chance")
    if alike[0] >= _EXPLAINS:
        return _Pattern("time")
    period = int(alike.argmax()) + 1
    return _Pattern("repetition", period) if alike[period - 1] >= _EXPLAINS else _Pattern("chance")


def _alike(labels: Integers) -> Array:
    """Return by how much more often than by chance repetitions so far apart have the same mode."""
    shares = np.bincount(labels) / len(labels)
    chance = float((shares**2).sum())
    distances = range(1, min(_LONGEST_PERIOD, len(labels) // 4) + 1)
    if chance >= 1:
        return np.zeros(0)
    same = np.array([np.mean(labels[far:] == labels[:-far]) for far in distances])
    found: Array = (same - chance) / (1 - chance)
    return found
