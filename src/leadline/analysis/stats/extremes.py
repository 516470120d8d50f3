"""Extreme values: the maximum over many tasks, predicted from the times of a few.

The expected maximum of m independent times with the distribution F is the integral of x dF(x)^m.
F is taken from the samples where they reach, and beyond from a generalised Pareto distribution
that is fitted to the largest of them (peaks over a threshold: Pickands, "Statistical Inference
Using Extreme Order Statistics", The Annals of Statistics 3, 1975), by probability-weighted moments
(Hosking & Wallis, "Parameter and Quantile Estimation for the Generalized Pareto Distribution",
Technometrics 29, 1987).
"""

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import CONFIDENCE, Integers, Matrix
from leadline.analysis.stats.student import widened

# The tail that is tried first: this part of the samples, and this many roots of their number. Then
# halves of it, down to so many.
_LARGEST_PART, _LARGEST_ROOTS = 0.1, 4.0
_FEWEST_IN_TAIL = 30
# The largest distance between the distributions of a tail and of its fit, times the root of the
# number of samples, that nine in ten true Pareto tails keep (by simulation, shapes -0.3 to 0.5).
_FITS = 0.8
# Above this shape the mean of a maximum is not determined by any number of samples.
_HEAVIEST = 0.9
# Samples this far from the largest are counted in classes: they bear little on a maximum.
_SINGLE, _CLASSES = 500, 300
# So many samples are left where the fitted tail takes over from them.
_FEWEST_ABOVE = 10
# Steps over which the fitted tail is summed, to this probability of exceedance.
_STEPS, _LEAST = 300, 1e-10
# The logarithm of a probability that adds nothing to a sum; and of how many multiplications on no
# BLAS starts threads.
_NEVER, _ONE_THREAD = 45.0, 2**18

_REPLICATES = 500
_BLOCKS = 50


class Tail(NamedTuple):
    """A generalised Pareto tail: above `threshold`, exceeded with `probability`.

    `scale` is in the unit of the samples, `shape` is positive for a tail like a power.
    """

    threshold: float
    probability: float
    shape: float
    scale: float


class Maximum(NamedTuple):
    """The expected maximum over `tasks` in the unit of the samples, with its 95 % interval."""

    tasks: int
    value: float
    low: float
    high: float


def fit_tail(ordered: Matrix) -> Tail | None:
    """Return the tail of ascending samples, shape (n,); None where they are too few or all alike.

    The largest part of the samples is taken that a generalised Pareto distribution describes, so
    that a second mode becomes a tail of its own.
    """
    best = None
    count = int(min(_LARGEST_PART * len(ordered), _LARGEST_ROOTS * len(ordered) ** 0.5))
    while count >= _FEWEST_IN_TAIL:
        threshold = float(ordered[-count - 1])
        excess = ordered[-count:] - threshold
        if excess[-1] > 0:
            shape, scale = _pareto(excess, np.ones((count, 1)))
            best = Tail(threshold, count / len(ordered), float(shape[0]), float(scale[0]))
            if _distance(excess, best) * count**0.5 <= _FITS:
                break
        count //= 2
    return best


def maximum_if_independent(seconds: Matrix) -> float:
    """Return what the mean over calls of the maximum over tasks would be if tasks were independent.

    `seconds` has the shape (calls, tasks). Each task keeps its own distribution, so that only what
    tasks share within a call makes a difference to the mean of their maximum.
    """
    values = _classes(np.sort(seconds, axis=None))[0]
    below = np.ones(len(values))
    for column in np.sort(seconds, axis=0).T:
        below *= np.searchsorted(column, values, side="right") / len(column)
    return float(np.diff(below, prepend=0.0) @ values)


def predict_maximum(launches: Sequence[Matrix], tasks: Sequence[int]) -> list[Maximum]:
    """Return the mean over calls of the maximum over so many tasks, for each number of `tasks`.

    Each of `launches` holds times, shape (calls, tasks), of calls in the order made; columns are
    taken as tasks of one kind. The 95 % interval is of a bootstrap over blocks of successive calls,
    all tasks together, and over launches where there are several: what neighbouring calls, or all
    tasks of a call, have in common widens it. It holds both the percentiles and those corrected for
    bias and skew ("BCa": Efron, "Better Bootstrap Confidence Intervals", Journal of the American
    Statistical Association 82, 1987), which of a long tail is itself known from few samples.
    """
    if not launches:
        return []
    counts = np.asarray(tasks, dtype=float)
    found = [_of_launch(each, counts, seed) for seed, each in enumerate(launches)]
    value = np.mean([each.value for each in found], axis=0)
    spread = np.stack([each.replicates for each in found])
    if len(found) > 1:
        drawn = np.random.default_rng(len(found)).integers(
            len(found), size=(len(found), spread.shape[2])
        )
        spread = spread[drawn, :, np.arange(spread.shape[2])].transpose(0, 2, 1)
    units = len(found) if len(found) > 1 else min(_BLOCKS, len(launches[0]))
    means = spread.mean(axis=0)
    pulls = np.concatenate([each.pulls for each in found], axis=1)
    ends = [
        _ends(each, middle, pull, widened(CONFIDENCE, units))
        for each, middle, pull in zip(means, value, pulls, strict=True)
    ]
    return [
        Maximum(number, float(middle), min(low, float(middle)), max(high, float(middle)))
        for number, middle, (low, high) in zip(tasks, value, ends, strict=True)
    ]


def _ends(
    replicates: Matrix, value: float, pulls: Matrix, confidence: float
) -> tuple[float, float]:
    """Return both ends of the interval of `value` that the bootstrap's `replicates` give.

    `pulls` says how far each of the units that were drawn pulls the value up.
    """
    normal = NormalDist()
    reach = normal.inv_cdf(min((1 + confidence) / 2, 1 - 1e-12))
    below = float(np.mean(replicates < value) + np.mean(replicates <= value)) / 2
    least = 1 / (len(replicates) + 1)
    bias = normal.inv_cdf(min(max(below, least), 1 - least))
    squares = float(pulls @ pulls)
    skew = float((pulls**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0

    def corrected(score: float) -> float:
        return normal.cdf(bias + (bias + score) / max(1 - skew * (bias + score), least))

    low = min(normal.cdf(-reach), corrected(-reach))
    high = max(normal.cdf(reach), corrected(reach))
    first, last = np.quantile(replicates, [low, high])
    return float(first), float(last)


def mean_interval(launches: Sequence[Matrix]) -> list[tuple[float, float]]:
    """Return for each launch's values by call, shape (calls,), the 95 % interval of their mean.

    From the same bootstrap over blocks of successive calls.
    """
    found = []
    for seed, values in enumerate(launches):
        block, times = _blocks(len(values), seed)
        sums = np.bincount(block, weights=values)
        means = (sums @ times) / (np.bincount(block) @ times)
        low, high = np.quantile(means, [0.025, 0.975])
        found.append((float(low), float(high)))
    return found


class _OfLaunch(NamedTuple):
    """The expected maxima of one launch, shape (tasks,), and what they rest on.

    `replicates` are those of each draw of blocks, shape (tasks, replicates); `pulls` says by how
    much each block makes them longer, shape (tasks, blocks).
    """

    value: Matrix
    replicates: Matrix
    pulls: Matrix


def _of_launch(seconds: Matrix, tasks: Matrix, seed: int) -> _OfLaunch:
    order = np.argsort(seconds, axis=None)
    ordered = seconds.ravel()[order]
    values, of_sample = _classes(ordered)
    tail = fit_tail(ordered)
    block, times = _blocks(len(seconds), seed)
    of_block = np.repeat(block, seconds.shape[1])[order]
    cells = np.bincount(of_sample * len(times) + of_block, minlength=len(values) * len(times))
    table = cells.reshape(len(values), len(times)).astype(float)
    value = _expect_maximum(values, table, np.ones((len(times), 1)), tail, tasks)[:, 0]
    replicates = _expect_maximum(values, table, times, tail, tasks)
    if len(times) == 1:
        return _OfLaunch(value, replicates, np.zeros((len(tasks), 1)))
    without = _expect_maximum(values, table, 1 - np.eye(len(times)), tail, tasks)
    return _OfLaunch(value, replicates, without.mean(axis=1, keepdims=True) - without)


def _blocks(calls: int, seed: int) -> tuple[Integers, Matrix]:
    count = min(_BLOCKS, calls)
    block = np.arange(calls) * count // calls
    drawn = np.random.default_rng(seed).integers(count, size=(count, _REPLICATES))
    times = np.stack([np.bincount(one, minlength=count) for one in drawn.T], axis=1)
    return block, times.astype(float)


def _classes(ordered: Matrix) -> tuple[Matrix, Integers]:
    """Return the mean of each class, ascending, and the class of each sample. The largest samples
    are classes of their own.
    """
    single = min(_SINGLE, len(ordered))
    rest = len(ordered) - single
    classes = min(_CLASSES, rest)
    of_sample = np.concatenate(
        [np.arange(rest) * classes // max(rest, 1), classes + np.arange(single)]
    )
    return np.bincount(of_sample, weights=ordered) / np.bincount(of_sample), of_sample


def _expect_maximum(
    values: Matrix, table: Matrix, times: Matrix, tail: Tail | None, tasks: Matrix
) -> Matrix:
    """Return the expected maximum for each number of tasks and column of `times`.

    `values` are ascending, shape (n,); `table` says how often each came in each block, shape
    (n, blocks), and `times` how often each block was drawn, shape (blocks, columns).
    """
    reached = _product(np.cumsum(table[::-1], axis=0)[::-1], times)
    total = reached[0].copy()
    reached /= total
    # What is exceeded with a smaller probability than this is taken from the tail.
    joint = 0.0 if tail is None else min(_FEWEST_ABOVE / float(total[0]), tail.probability)
    sums = _below(values, reached.clip(joint, 1.0), joint, tasks)
    if tail is not None:
        inside = np.flatnonzero(values > tail.threshold)
        excess = values[inside] - tail.threshold
        shape, scale = _pareto(excess, _product(table[inside], times))
        edges = np.append(joint * np.geomspace(1.0, _LEAST / joint, _STEPS), 0.0)
        middles = np.sqrt(edges[:-2] * edges[1:-1])
        beyond = tail.threshold + _exceeded(middles, reached[inside[0]], shape, scale)
        with np.errstate(divide="ignore"):
            parts = np.diff(np.exp(tasks[:, None] * np.log1p(-edges)))
        parts[:, -2] += parts[:, -1]
        sums += _product(parts[:, :-1], beyond)
    return sums


def _below(values: Matrix, reached: Matrix, joint: float, tasks: Matrix) -> Matrix:
    """Return the part of the expected maximum that lies in the values, for so many tasks each.

    One task's time reaches value i with the probability `reached[i]`, shape (n, columns), and is
    above the last one with the probability `joint`.
    """
    with np.errstate(divide="ignore"):
        missed = np.log1p(-reached)
        last = np.log1p(-joint)
    nearest = missed.max(axis=1)
    steps = np.diff(values)
    sums = np.empty((len(tasks), reached.shape[1]))
    for row, m in enumerate(tasks):
        # Below these values all tasks stay with no probability to speak of.
        first = max(1, int(np.searchsorted(nearest, -_NEVER / m)))
        sums[row] = values[-1] * np.exp(m * last)
        sums[row] -= steps[first - 1 :] @ np.exp(m * missed[first:])
    return sums


def _product(one: Matrix, other: Matrix) -> Matrix:
    """Return the matrix product, in pieces for which no BLAS starts threads: these wait for each
    other longer than such small matrices take.
    """
    rows = max(1, _ONE_THREAD // other.size)
    whole = len(one) // rows * rows
    pieces = one[:whole].reshape(-1, rows, one.shape[1]) @ other
    return np.concatenate([pieces.reshape(whole, other.shape[1]), one[whole:] @ other])


def _exceeded(probability: Matrix, reached: Matrix, shape: Matrix, scale: Matrix) -> Matrix:
    """Return what is exceeded with each `probability`, shape (n,), by column: above the threshold
    of the tail, which is reached with the probability `reached`.
    """
    ratio = np.minimum(probability[:, None] / np.maximum(reached, 1e-300), 1.0)
    bent = np.where(np.abs(shape) < 1e-9, 1e-9, shape)
    found: Matrix = scale / bent * (ratio**-bent - 1)
    return found


def _pareto(excess: Matrix, weights: Matrix) -> tuple[Matrix, Matrix]:
    """Return shape and scale for each column of `weights`, by probability-weighted moments.

    `excess` are ascending values above the threshold, shape (n,); a column has how often each came.
    """
    total = np.maximum(weights.sum(axis=0), 1e-300)
    exceeded = (np.cumsum(weights[::-1], axis=0)[::-1] - weights / 2) / total
    mean = excess @ weights / total
    moment = excess @ (weights * exceeded) / total
    rest = np.maximum(mean - 2 * moment, 1e-9 * np.maximum(mean, 1e-300))
    shape = np.minimum(2 - mean / rest, _HEAVIEST)
    # With the shape bounded, the scale is the one that keeps the mean.
    return shape, mean * (1 - shape)


def _distance(excess: Matrix, tail: Tail) -> float:
    """Return the largest distance between the distribution of the excesses and of their fit."""
    count = len(excess)
    bent = tail.shape if abs(tail.shape) > 1e-9 else 1e-9
    inner = np.maximum(1 + bent * excess / tail.scale, 1e-300)
    fitted = 1 - inner ** (-1 / bent)
    ranks = np.arange(count)
    return float(max(np.max(fitted - ranks / count), np.max((ranks + 1) / count - fitted)))
