"""Permutation tests: whether two sets of launches differ, however launches scatter.

If A and B are alike, it is chance which launch was called A. So the difference that was found is
held against those of all other ways to call them (Fisher; Good, "Permutation, Parametric and
Bootstrap Tests of Hypotheses", 2005, chapter 3), which assumes nothing of how times scatter. All
figures of a launch move with it, so that their difference is judged by the most conspicuous figure
of each way (Westfall & Young, "Resampling-Based Multiple Testing", 1993, algorithm 2.8): however
many figures there are, the chance that any is called different where none is stays at 5 %.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from leadline.analysis.stats.statistics import UNKNOWN, Mask, Matrix

# With fewer launches on a side, even the clearest difference is one of too few ways.
FEWEST = 4

# A launch is steady within this factor of the fastest ones.
STEADY = 1.25

_WAYS = 4_999
_WAYS_OF_INTERVAL = 999
_MEMORY = 8_000_000


def level(logarithms: Matrix, chosen: Mask) -> Matrix:
    """Return the level of the `chosen` launches, shape (ways,): the mean of the steady ones.

    `logarithms` are those of seconds, shape (launches,), `chosen` has shape (ways, launches), as
    many in each row. What disturbs a machine makes launches slower, for a while and by factors, and
    seldom all of them: steady are those that exceed what the fastest quarter of them takes by no
    more than a quarter.
    """
    order = np.argsort(logarithms, kind="stable")
    ordered, picked = logarithms[order], chosen[:, order]
    reached = np.cumsum(picked, axis=1, dtype=np.int32) >= _fast(int(chosen[0].sum()))
    most = ordered[reached.argmax(axis=1)] + math.log(STEADY)
    counted = picked & (ordered <= most[:, None])
    levels: Matrix = counted @ ordered / counted.sum(axis=1)
    return levels


def steady(seconds: Sequence[float]) -> list[float]:
    """Return those of the launches' medians that count as steady, ascending."""
    if not seconds:
        return []
    ordered = sorted(seconds)
    fast = ordered[_fast(len(ordered)) - 1]
    return [each for each in ordered if each <= fast * STEADY]


def _fast(count: int) -> int:
    return max(1, round(count / 4))


def difference(base: Matrix, other: Matrix) -> float:
    """Return by how much the level of `other` exceeds that of `base`, both logarithms (n,).

    It is 0 where a side has no launches.
    """
    if not len(base) or not len(other):
        return 0.0
    both = np.concatenate([base, other])
    return float(_differences(both, _original(len(base), len(other)))[0])


def adjusted_p_values(base: Matrix, other: Matrix, *, longer_only: bool = False) -> Matrix:
    """Return for each figure how probable so large a difference is anywhere, if none is real.

    `base` and `other` hold the logarithms of the launches' medians, shape (figures, launches); a
    column is a launch. The answer has shape (figures,). With `longer_only` a difference is that
    `other` takes longer: the test is one-sided.
    """
    return step_down(_shares_in_each_way(base, other, longer_only))


def p_values(base: Matrix, other: Matrix, *, longer_only: bool = False) -> Matrix:
    """Return how probable so large a difference of each figure is by itself, if it is not real.

    The shapes are those of `adjusted_p_values`.
    """
    probabilities: Matrix = 1 - _shares_in_each_way(base, other, longer_only)[:, 0]
    return probabilities


def _shares_in_each_way(base: Matrix, other: Matrix, longer_only: bool) -> Matrix:
    """Return the share of smaller differences of each figure, (figures, ways), the real one first.

    One minus it is the p-value of that figure by itself. Without launches on a side it is 0.
    """
    if not base.size or not other.size:
        return np.zeros((len(base), 1))
    both = np.concatenate([base, other], axis=1)
    ways = _ways(base.shape[1], other.shape[1], _WAYS)
    size = np.array([_differences(figure, ways) for figure in both])
    if not longer_only:
        size = np.abs(size)
    # How large a difference is among those of its own figure makes figures comparable.
    ascending = np.sort(size, axis=1)
    return np.array(
        [
            np.searchsorted(row, values - 1e-12, side="left") / len(row)
            for row, values in zip(ascending, size, strict=True)
        ]
    )


def step_down(sizes: Matrix) -> Matrix:
    """Return the adjusted p-values, (figures,), of the first of the ways, (figures, ways).

    Each figure is held against those that are no more conspicuous than itself: a more conspicuous
    one is real if this one is.
    """
    order = np.argsort(-sizes[:, 0], kind="stable")
    highest = np.maximum.accumulate(sizes[order][::-1])[::-1]
    share = (highest >= sizes[order, :1] * (1 - 1e-12)).mean(axis=1)
    adjusted = np.empty(len(sizes))
    adjusted[order] = np.maximum.accumulate(share)
    return adjusted


def interval(base: Matrix, other: Matrix) -> tuple[float, float]:
    """Return the 95 % interval of the difference: all that the launches do not contradict.

    `base` and `other` are logarithms, shape (launches,), of one figure. It holds every shift by
    which `other` can be moved back so that the test above, of this figure alone, sees nothing: too
    few launches contradict none up to a factor of 1000.
    """
    if not len(base) or not len(other):
        return -UNKNOWN, UNKNOWN
    ways = _ways(len(base), len(other), _WAYS_OF_INTERVAL)
    found = difference(base, other)

    def contradicted(shift: float) -> bool:
        size = np.abs(_differences(np.concatenate([base, other - shift]), ways))
        return float((size >= size[0] - 1e-12).mean()) <= 0.05

    return _edge(contradicted, found, -1.0), _edge(contradicted, found, 1.0)


def _edge(contradicted: Callable[[float], bool], start: float, sign: float) -> float:
    inside, step = 0.0, 0.005
    while not contradicted(start + sign * step):
        inside, step = step, 2 * step
        if step > UNKNOWN:
            return sign * (max(sign * start, 0.0) + UNKNOWN)
    for _ in range(10):
        middle = (inside + step) / 2
        if contradicted(start + sign * middle):
            step = middle
        else:
            inside = middle
    return start + sign * step


def _differences(both: Matrix, ways: Mask) -> Matrix:
    return level(both, ways) - level(both, ~ways)


@lru_cache(maxsize=8)
def _original(base: int, other: int) -> Mask:
    return (np.arange(base + other) >= base)[None, :]


@lru_cache(maxsize=8)
def _ways(base: int, other: int, most: int) -> Mask:
    """Return which launches are called `other`, shape (ways, launches), the real way first.

    All ways where they are not too many, else `most` drawn at random, always the same ones.
    """
    launches = base + other
    most = max(100, min(most, _MEMORY // launches))
    original = _original(base, other)
    if math.comb(launches, other) <= most:
        chosen = np.array(list(itertools.combinations(range(launches), other)))
        ways = np.zeros((len(chosen), launches), dtype=bool)
        np.put_along_axis(ways, chosen, True, axis=1)
        return np.concatenate([original, ways[(ways != original).any(axis=1)]])
    random = np.random.default_rng(1)
    drawn = random.permuted(np.repeat(original, most, axis=0), axis=1)
    return np.concatenate([original, drawn])
