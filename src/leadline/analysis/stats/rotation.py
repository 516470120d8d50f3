"""Rotation tests: whether two sets of few launches differ, by what all figures tell of scatter.

Five launches and five can be called A and B in 252 ways, three and three in 20: too few to tell
chance from a difference in any of many figures (`permutation`). If the logarithms of launches'
medians are about normal, though, every rotation of them that keeps their mean was as probable as
what came, and there is no end of rotations (Langsrud, "Rotation tests", Statistics and Computing
15, 2005). A column is a launch, and is rotated with all its figures, however they depend on each
other; the most conspicuous figure of each rotation is what a difference is held against (Westfall &
Young, "Resampling-Based Multiple Testing", 1993, algorithm 2.8).

A figure's own scatter is hardly known from so few launches. It is drawn towards that of the other
figures, as far as these are alike (Smyth, "Linear Models and Empirical Bayes Methods for Assessing
Differential Expression in Microarray Experiments", Statistical Applications in Genetics and
Molecular Biology 3, 2004).
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.permutation import step_down
from leadline.analysis.stats.statistics import CONFIDENCE, UNKNOWN, Interval, Matrix
from leadline.analysis.stats.student import t_quantile, two_sided

_WAYS, _FEWEST_WAYS = 4_999, 999
_MEMORY = 8_000_000

# The scatter of fewer figures does not show how alike they are.
_FIGURES = 3

# Half of the degrees of freedom that the other figures are worth, on a grid.
_HALVES = np.logspace(-2, 6, 2_000)

# What is so improbable by chance is real when the others are judged.
_REAL = 0.01

# A clock with coarse steps may show no scatter at all: it is at least this part of the difference.
_LEAST_PART = 1e-12
_LEAST_VARIANCE = 1e-300

# Fewer launches do not scatter.
_LAUNCHES = 2


class Difference(NamedTuple):
    """By how much the logarithm of one figure is longer on the other side, with its 95 % interval.

    `p_value` is the probability of so large a difference anywhere among the figures that were
    tested together, if none is real; `single` that of this figure, were it the only one, where it
    was asked for. Of too few launches the probabilities are 1, and the interval holds all factors
    up to 1000 either way.
    """

    value: float
    interval: Interval
    p_value: float
    single: float | None = None


def differences(base: Matrix, other: Matrix) -> list[Difference]:
    """Return the difference of each figure.

    `base` and `other` hold the logarithms of the launches' medians, shape (figures, launches); a
    column is a launch. 2 launches of each are the fewest that tell anything.
    """
    counts = base.shape[1], other.shape[1]
    if min(counts) < _LAUNCHES:
        return [
            _unclear(_middle(above) - _middle(below))
            for below, above in zip(base, other, strict=True)
        ]
    both = np.concatenate([base, other], axis=1)
    centred = both - both.mean(axis=1, keepdims=True)
    width = math.sqrt(1 / counts[0] + 1 / counts[1])
    directions = _directions(sum(counts), centred=True)
    return _tested(centred, _contrast(*counts), directions, sum(counts) - 2, width)


def shifts(
    logarithms: Matrix, confidence: float = CONFIDENCE, *, singly: bool = False
) -> list[Difference]:
    """Return by how much each figure's values are above zero, with intervals of the `confidence`.

    `logarithms` are those of ratios that each launch has given, shape (figures, launches); a column
    is a launch. With `singly` each is judged by itself, too. 2 launches are the fewest that tell
    anything.
    """
    launches = logarithms.shape[1]
    if launches < _LAUNCHES:
        return [_unclear(_middle(figure), singly=singly) for figure in logarithms]
    contrast = np.full(launches, 1 / math.sqrt(launches))
    directions, width = _directions(launches, centred=False), 1 / math.sqrt(launches)
    return _tested(logarithms, contrast, directions, launches - 1, width, confidence, singly)


def _unclear(value: float, *, singly: bool = False) -> Difference:
    ends = Interval(min(value, 0.0) - UNKNOWN, max(value, 0.0) + UNKNOWN)
    return Difference(value, ends, 1.0, 1.0 if singly else None)


def _middle(logarithms: Matrix) -> float:
    return float(logarithms.mean()) if len(logarithms) else 0.0


def _tested(
    centred: Matrix,
    contrast: Matrix,
    directions: Matrix,
    freedom: int,
    width: float,
    confidence: float = CONFIDENCE,
    singly: bool = False,
) -> list[Difference]:
    """Return what lies along `contrast`, a unit vector, `width` times as large, for each figure.

    `centred` has shape (figures, launches); `directions`, (launches, ways), are what rotations
    turn into the contrast.
    """
    if not len(centred):
        return []
    ways = max(_FEWEST_WAYS, min(_WAYS, _MEMORY // len(centred)))
    every = np.column_stack([contrast, directions[:, :ways]])
    effects, variances, sizes = _sizes(centred, every, freedom)
    adjusted, found = np.ones(len(centred)), sizes[:, 0].copy()
    rows, left = centred.copy(), np.arange(len(centred))
    while len(left):
        likely = (sizes[left].max(axis=0) >= found[left, None] * (1 - 1e-12)).mean(axis=1)
        real = likely <= _REAL
        if not real.any():
            adjusted[left] = np.maximum(
                step_down(sizes[left]), adjusted[adjusted < 1].max(initial=0)
            )
            break
        adjusted[left[real]] = likely[real]
        # A rotation turns a real difference into scatter, which the others would be drawn towards.
        now = left[real]
        rows[now] += (np.sqrt(variances[now, :1]) - effects[now, :1]) * contrast
        left = left[~real]
        _, _, sizes = _sizes(rows, every, freedom)
    beyond: list[float | None] = [None] * len(centred)
    if singly:
        alone = np.sort(sizes[left, 1:] if len(left) else sizes[:, 1:], axis=None)
        beyond = (1 - np.searchsorted(alone, found * (1 - 1e-12)) / len(alone)).tolist()
    # What figures have in common adds nothing to what is known of their scatter.
    residuals = centred - effects[:, :1] * contrast
    variance, prior = moderate(variances[:, :1], freedom, independent_figures(residuals, freedom))
    worth = freedom + float(prior[0])
    reach = t_quantile(confidence, worth)
    errors = np.sqrt(variance[:, 0])
    return [
        Difference(
            value=width * effect,
            interval=Interval(width * (effect - reach * error), width * (effect + reach * error)),
            p_value=p_value,
            single=None if one is None else max(one, two_sided(abs(effect) / error, worth)),
        )
        for effect, error, p_value, one in zip(
            effects[:, 0].tolist(), errors.tolist(), adjusted.tolist(), beyond, strict=True
        )
    ]


def _sizes(rows: Matrix, every: Matrix, freedom: int) -> tuple[Matrix, Matrix, Matrix]:
    """Return effects, own variances, and effects over their moderated scatter, (figures, ways)."""
    effects = rows @ every
    whole = np.square(rows).sum(axis=1, keepdims=True)
    least = _LEAST_PART * whole + _LEAST_VARIANCE
    variances = np.maximum((whole - np.square(effects)) / freedom, least)
    scatter, _ = moderate(variances, freedom)
    return effects, variances, np.abs(effects) / np.sqrt(scatter)


def _contrast(base: int, other: int) -> Matrix:
    """Return the unit vector along which the two sides differ, shape (launches,)."""
    direction = np.concatenate([np.full(base, -1 / base), np.full(other, 1 / other)])
    return np.asarray(direction / np.linalg.norm(direction))


@lru_cache(maxsize=8)
def _directions(launches: int, *, centred: bool) -> Matrix:
    """Return what random rotations turn into the contrast, shape (launches, ways).

    They keep the mean of what is `centred`.
    """
    drawn = np.random.default_rng(1).normal(size=(launches, _WAYS))
    if centred:
        drawn -= drawn.mean(axis=0)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=0))


def moderate(raw: Matrix, freedom: float, independent: float = math.inf) -> tuple[Matrix, Matrix]:
    """Return each figure's variance drawn towards the others', and what these are worth.

    `raw` are the figures' variances with their degrees of freedom, shape (figures, ways); the worth
    is in degrees of freedom, shape (ways,), at most that of so many `independent` figures.
    """
    ways = raw.shape[1]
    if len(raw) < _FIGURES or freedom <= 0:
        return raw, np.zeros(ways)
    logarithms = np.log(np.maximum(raw, _LEAST_VARIANCE))
    log_halves, trigamma, log_bias = _tables()
    here = math.log(freedom / 2)
    excess = logarithms.var(axis=0, ddof=1) - np.interp(here, log_halves, trigamma)
    # The trigamma function falls: its inverse is read from the table backwards.
    halves = np.interp(-excess, -trigamma, log_halves)
    prior = np.minimum(2 * np.exp(halves), max(0.0, freedom * (independent - 1)))
    bias = np.interp(here, log_halves, log_bias)
    common = np.exp(
        logarithms.mean(axis=0)
        - bias
        + np.interp(np.log(np.maximum(prior / 2, _HALVES[0])), log_halves, log_bias)
    )
    return (prior * common + freedom * raw) / (prior + freedom), prior


def independent_figures(residuals: Matrix, freedom: int) -> float:
    """Return how many independent figures these are worth, from how their launches go together.

    `residuals` have shape (figures, launches). It is one over the root mean square of the
    correlations of two figures, less what so few launches make of independent ones: somewhat fewer
    than their variances tell, since correlations are hardly known.
    """
    norms = np.linalg.norm(residuals, axis=1, keepdims=True)
    scaled = residuals[norms[:, 0] > 0] / norms[norms[:, 0] > 0]
    # In one dimension all go together, whatever they have in common.
    if freedom <= 1 or not len(scaled):
        return 1.0
    correlation = scaled.T @ scaled
    share = float(np.square(correlation).sum()) / len(scaled) ** 2
    known = max(0.0, (share - 1 / freedom) / (1 - 1 / freedom))
    return 1 / max(math.sqrt(known), 1 / len(scaled))


@lru_cache(maxsize=1)
def _tables() -> tuple[Matrix, Matrix, Matrix]:
    """Return the logarithms of `_HALVES`, and there trigamma and the bias of a logarithm."""
    return np.log(_HALVES), _trigamma(_HALVES), _log_bias(_HALVES)


def _trigamma(values: Matrix) -> Matrix:
    """Return the second derivative of log gamma (Abramowitz & Stegun, 6.4.6 and 6.4.12)."""
    x, found = values.astype(float), np.zeros(len(values))
    for _ in range(8):
        small = x < 8
        found[small] += 1 / np.square(x[small])
        x[small] += 1
    found += 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + 1 / (42 * x**7)
    return found


def _log_bias(values: Matrix) -> Matrix:
    """Return digamma of x less the logarithm of x (Abramowitz & Stegun, 6.3.5 and 6.3.18).

    By so much is the mean logarithm of a variance of 2 x degrees of freedom below its own.
    """
    x, found = values.astype(float), -np.log(values)
    for _ in range(8):
        small = x < 8
        found[small] -= 1 / x[small]
        x[small] += 1
    found += np.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)
    return found
