"""Order statistics: intervals that assume nothing of the shape of a distribution.

Times on a parallel machine are skewed and have several modes, so nothing here assumes them
normal (Hoefler & Belli, "Scientific Benchmarking of Parallel Computing Systems", SC'15).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

# Floating-point numbers of shape (n,), and numbers of any shape.
Array = np.ndarray[tuple[int], np.dtype[np.float64]]
Matrix = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

CONFIDENCE = 0.95

# The logarithm of a factor: an interval that reaches so far both ways says that nothing is known.
UNKNOWN = math.log(1000.0)


class Interval(NamedTuple):
    """A confidence interval, both ends included, in the unit of the values."""

    low: float
    high: float

    def hull(self, other: Interval) -> Interval:
        """Return the smallest interval that contains both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))


def median_of(values: Array | Sequence[float]) -> float:
    """Return the median of finite values, shape (n,), n >= 1.

    `numpy.median` takes ten times as long for hundreds of values, of which runs have many.
    """
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    low, high = np.partition(values, (half - 1, half))[half - 1 : half + 1].tolist()
    return float((low + high) / 2)


@lru_cache(maxsize=256)
def transform_length(least: int) -> int:
    """Return a length of at least so many that a Fourier transform is fast for.

    >>> transform_length(4097), transform_length(1000)
    (4320, 1000)
    """
    found = 1 << (least - 1).bit_length()
    for odd in (3, 5, 9, 15, 25, 27, 45, 75, 125, 135, 225):
        found = min(found, odd << max(0, (-(-least // odd) - 1).bit_length()))
    return found


def nearest_rank(ordered: Array, quantile: float) -> float:
    """Return the smallest sample that at least the fraction `quantile` of them do not exceed.

    `ordered` is ascending, shape (n,), n >= 1. The answer is always one of the samples
    (definition 1 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", 1996), so that a
    p99 is a time that really occurred.
    """
    # The product 0.07 * 100 is 7.000000000000001: rounding keeps the rank at 7.
    rank = math.ceil(round(quantile * len(ordered), 9))
    return float(ordered[max(rank, 1) - 1])


@lru_cache(maxsize=256)
def interval_ranks(
    count: int, quantile: float = 0.5, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Return the ranks (from 1, fractions too) of the samples that enclose a quantile, or None.

    The number of samples below the true quantile is binomial whatever their distribution, so each
    rank has a known probability to lie beyond it. Between the two ranks whose probabilities enclose
    half of what `confidence` leaves, the end is interpolated as Nyblom does ("Note on Interpolated
    Order Statistics", Statistics & Probability Letters 14, 1992; for the median Hettmansperger &
    Sheather, ibid. 4, 1986): whole ranks would cover far too much where samples are few. None when
    `count` is too small: the median needs 6 samples, p99 needs 368 (Hahn & Meeker, "Statistical
    Intervals", 1991, section 5.2).
    """
    low = _lower_rank(count, quantile, (1 - confidence) / 2)
    high = _lower_rank(count, 1 - quantile, (1 - confidence) / 2)
    return (low, count + 1 - high) if low and high else None


def _lower_rank(count: int, quantile: float, tail: float) -> float | None:
    """Return the rank that lies above the true quantile with the probability `tail`, or None."""
    if count < 1:
        return None
    logarithms = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, count + 1)))))
    successes = np.arange(count + 1)
    log_probability = (
        logarithms[-1]
        - logarithms
        - logarithms[::-1]
        + successes * math.log(quantile)
        + (count - successes) * math.log1p(-quantile)
    )
    # Entry r - 1 is the probability that the r-th smallest is above: fewer than r are below.
    above = np.cumsum(np.exp(log_probability))
    rank = int(np.searchsorted(above, tail, side="right"))
    if not 1 <= rank < count:
        return None
    odds = rank * (1 - quantile) * (above[rank] - tail)
    excess = (count - rank) * quantile * (tail - above[rank - 1])
    return rank + float(excess / (excess + odds))


def quantile_interval(
    ordered: Array,
    quantile: float = 0.5,
    effective: float | None = None,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """Return the interval of a quantile from order statistics, or None for too few samples.

    `ordered` is ascending, shape (n,). `effective` is the number of independent samples that
    these are worth: the ranks of so many are stretched over all n.
    """
    count = len(ordered)
    worth = count if effective is None else min(count, max(1, int(effective)))
    if (ranks := interval_ranks(worth, quantile, confidence)) is None:
        return None
    # A rank stands for a block of samples: the outer end of each block counts.
    stretch = count / worth
    low, high = 1 + (ranks[0] - 1) * stretch, count - (worth - ranks[1]) * stretch
    return Interval(value_at_rank(ordered, low), value_at_rank(ordered, high))


def value_at_rank(ordered: Array, rank: float) -> float:
    """Return the sample of this rank (from 1), between two of them for a fraction.

    `ordered` is ascending, shape (n,), n >= 1.
    """
    whole = min(max(math.floor(rank), 1), len(ordered))
    low, high = float(ordered[whole - 1]), float(ordered[min(whole, len(ordered) - 1)])
    # Not low + part * (high - low): equal samples must give exactly themselves.
    part = rank - whole
    return low if part <= 0 or low == high else low * (1 - part) + high * part


def effective_count(values: Array, quantile: float = 0.5) -> float:
    """Return how many independent samples `values`, in the order of measurement, are worth.

    Slow changes of the machine make neighbours alike, and an interval that ignores it too
    narrow. What matters to a quantile is the series "above it or not": its integrated
    autocorrelation time is summed over Geyer's initial positive sequence ("Practical Markov
    Chain Monte Carlo", Statistical Science 7, 1992). Shape (n,); the answer is 1 to n.
    """
    count = len(values)
    if count < 4:
        return float(count)
    rank = max(math.ceil(round(quantile * count, 9)), 1) - 1
    above = (values > np.partition(values, rank)[rank]).astype(np.float64)
    centred = above - above.mean()
    if not centred.any():
        return float(count)
    length = transform_length(2 * count)
    spectrum = np.fft.rfft(centred, length)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, length)[:count]
    correlation = covariance / covariance[0]
    pairs = correlation[0 : count - 1 : 2] + correlation[1:count:2]
    negative = np.flatnonzero(pairs <= 0)
    positive = pairs[: negative[0]] if len(negative) else pairs
    time = max(1.0, 2 * float(positive.sum()) - 1)
    return count / time


def neighbours_are_alike(values: Array) -> bool:
    """Tell whether samples, shape (n,) in the order of measurement, resemble their neighbours.

    The correlation of "above the median or not" from one sample to the next lies two standard
    errors of independent ones beyond zero (Box, Jenkins, Reinsel & Ljung, "Time Series Analysis",
    2015, section 2.1.6). Fewer than two have none.
    """
    if len(values) < 2:
        return False
    above = (values > median_of(values)).astype(np.float64)
    centred = above - above.mean()
    together = float(centred[1:] @ centred[:-1])
    return together > 2 / math.sqrt(len(values)) * float(centred @ centred) > 0


def coefficient_of_variation(values: Array) -> float | None:
    """Return the standard deviation (n - 1) over the mean; None for fewer than two values.

    Shape (n,), all of one unit; the answer has none. None as well where the mean is zero.
    """
    if len(values) < 2 or (mean := float(np.mean(values))) == 0:
        return None
    return float(np.std(values, ddof=1)) / abs(mean)


def product_interval(
    one: float, of_one: Interval, other: float, of_other: Interval
) -> Interval | None:
    """Return the 95 % interval of the product of two figures measured independently, or None.

    The two intervals may be lopsided: the variance of the logarithm is recovered from each side
    (MOVER; Donner & Zou, "Closed-form confidence intervals for functions of the normal mean and
    standard deviation", Statistical Methods in Medical Research 21, 2012). None unless every
    figure is above zero.
    """
    if min(*of_one, *of_other, one, other) <= 0:
        return None
    product = math.log(one * other)
    down = math.hypot(math.log(one / of_one.low), math.log(other / of_other.low))
    up = math.hypot(math.log(of_one.high / one), math.log(of_other.high / other))
    return Interval(math.exp(product - down), math.exp(product + up))


def ratio_interval(
    numerator: float, of_numerator: Interval, denominator: float, of_denominator: Interval
) -> Interval | None:
    """Return the 95 % interval of the ratio of two figures measured independently, or None.

    As `product_interval` has it, of the one and the inverse of the other.
    """
    if min(*of_denominator, denominator) <= 0:
        return None
    inverse = Interval(1 / of_denominator.high, 1 / of_denominator.low)
    return product_interval(numerator, of_numerator, 1 / denominator, inverse)
