"""Student's t and the normal distribution, and corrections of p-values for many comparisons."""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from leadline.analysis.stats.statistics import CONFIDENCE, Array

# From here on Student's t and the normal distribution agree to three digits at any level of use.
_NORMAL_FROM = 2000.0

_NODES = 128


def two_sided(t: float, freedom: float) -> float:
    """Return the probability that |T| is at least `t` >= 0, with so many degrees of freedom.

    Without any freedom it is 1: nothing is known.

    With T = sqrt(freedom) * tan(a) the density is a power of cos(a) (Abramowitz & Stegun,
    "Handbook of Mathematical Functions", 1964, section 26.7), which Gauss-Legendre quadrature sums
    to at least nine digits.
    """
    if freedom <= 0:
        return 1.0
    if freedom >= _NORMAL_FROM:
        return 2 * (1 - NormalDist().cdf(t))
    # The tail in one piece, so that small probabilities keep their digits.
    angle = math.atan2(math.sqrt(freedom), t)
    # sin(b)^(freedom - 1) from 0 to the angle, with b = angle * x^2 to tame freedom below 1.
    x, weights = _quadrature()
    part = np.sin(angle * x**2) ** (freedom - 1) * 2 * angle * x * weights
    logarithm = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    return min(1.0, float(part.sum()) * 2 * math.exp(logarithm) / math.sqrt(math.pi))


@lru_cache(maxsize=1)
def _quadrature() -> tuple[Array, Array]:
    """Return nodes and weights of Gauss and Legendre from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


@lru_cache(maxsize=256)
def t_quantile(confidence: float, freedom: float) -> float:
    """Return the t that |T| exceeds with probability 1 - `confidence`, 0 < confidence < 1.

    It is infinite without any freedom.

    >>> round(t_quantile(0.95, 4), 6)
    2.776445
    """
    if freedom <= 0:
        return math.inf
    outside = 1 - confidence
    low, high = 0.0, 1.0
    while two_sided(high, freedom) > outside:
        low, high = high, 4 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, freedom) > outside else (low, middle)
    return (low + high) / 2


def widened(confidence: float, count: int) -> float:
    """Return the confidence of percentiles that stand for Student's t over `count` units.

    Resampling so few units scatters less than the units do (Hesterberg, "What Teachers Should Know
    About the Bootstrap", The American Statistician 69, 2015, section 3.3).
    """
    if count < 2:
        return confidence
    reach = t_quantile(confidence, count - 1) * math.sqrt(count / (count - 1))
    return math.erf(reach / math.sqrt(2))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return adjusted p-values: those below a level are all true with that confidence.

    Holds under any dependence (Holm, "A Simple Sequentially Rejective Multiple Test Procedure",
    Scandinavian Journal of Statistics 6, 1979). In the order given, each at least its own and at
    most 1.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(stepped, 1.0)
    return tuple(adjusted.tolist())


def false_discoveries(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return adjusted p-values: of those below a level, at most that share is expected to be false.

    Holds where figures are independent or move together (Benjamini & Hochberg, "Controlling the
    False Discovery Rate", Journal of the Royal Statistical Society B 57, 1995; Benjamini &
    Yekutieli, Annals of Statistics 29, 2001). In the order given, each at least its own.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")[::-1]
    stepped = values[order] * len(values) / np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum.accumulate(stepped)
    return tuple(adjusted.tolist())


def simultaneous_confidence(count: int) -> float:
    """Return the confidence of each of `count` intervals that all hold with 95 %.

    Bonferroni's, which holds under any dependence (Dunn, "Multiple Comparisons Among Means",
    Journal of the American Statistical Association 56, 1961).
    """
    return 1 - (1 - CONFIDENCE) / max(1, count)
