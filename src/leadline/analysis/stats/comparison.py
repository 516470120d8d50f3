"""The comparison of two figures: how many times as long one takes, and how surely."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import geometric_mean
from typing import Literal, NamedTuple, Protocol

import numpy as np

from leadline.analysis.stats import launches, permutation, ranks
from leadline.analysis.stats.statistics import (
    CONFIDENCE,
    UNKNOWN,
    Array,
    Interval,
    ratio_interval,
)
from leadline.analysis.stats.student import t_quantile

# What the launches of two figures have in common.
Launches = Literal["one run", "apart", "two runs"]

# A difference below a twentieth is of no use to anyone, however sure.
USEFUL_RATIO = 1.05

# Where nobody knows how figures scatter, chance makes a quarter often enough.
UNSURE_RATIO = 1.25

# Fewer launches than this cannot show the shape of their scatter: no ranks enclose 95 %.
_BY_RANKS = 4

# Variances of three and three values that are alike differ by this factor in 5 % (Fisher's F).
_UNEQUAL = 39.0


class Ratio(NamedTuple):
    """How many times as long one figure takes as another, its 95 % interval and where it is from.

    There is no interval where a figure has none, as many imported ones. `p_value`, where many
    ratios were judged together (`rivals`), is the probability that any of them looks so different
    where none is.
    """

    median: float
    interval: Interval | None
    method: str
    p_value: float | None = None

    def evidence(self, name: str = "ratio") -> dict[str, float]:
        """Return the numbers by name: the ratio, and the ends of its interval where known."""
        ends = self.interval._asdict() if self.interval else {}
        return {name: self.median} | {f"{name}_{end}": value for end, value in ends.items()}

    @staticmethod
    def of(median: float, low: float | None, high: float | None) -> Ratio:
        """Return a ratio that was kept as numbers, without an end where it has no interval."""
        ends = None if low is None or high is None else Interval(low, high)
        return Ratio(median, ends, "")

    def scaled(self, factor: float) -> Ratio:
        """Return the ratio times `factor`, which is above zero and known exactly."""
        ends = self.interval and Interval(*(end * factor for end in self.interval))
        return Ratio(self.median * factor, ends, self.method)

    def inverse(self) -> Ratio:
        """Return how many times as long the other figure takes."""
        ends = self.interval and Interval(1 / self.interval.high, 1 / self.interval.low)
        return Ratio(1 / self.median, ends, self.method, self.p_value)


class Timed(Protocol):
    """A figure, or what stands for one: seconds with a 95 % interval, over all and by launch."""

    @property
    def median_s(self) -> float:
        """Median over the launches."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends of the interval, where there is one."""

    @property
    def samples(self) -> int:
        """Number of samples, 0 where another program printed the figure."""

    @property
    def launch_medians_s(self) -> tuple[float, ...]:
        """Median of each launch."""


class Series(NamedTuple):
    """Several figures one after the other, as if they were one."""

    median_s: float
    interval: tuple[float, float] | None
    launch_medians_s: tuple[float, ...]
    samples: int = 0


def in_series(figures: Sequence[Timed]) -> Series:
    """Return the time of all `figures` together.

    The launches are added one by one where all figures have as many, and are left out otherwise;
    the ends of the intervals are added too, which is wider than need be.
    """
    counts = {len(figure.launch_medians_s) for figure in figures}
    by_launch = zip(*(figure.launch_medians_s for figure in figures), strict=False)
    ends = [figure.interval for figure in figures if figure.interval]
    return Series(
        sum(figure.median_s for figure in figures),
        (sum(low for low, _ in ends), sum(high for _, high in ends))
        if ends and len(ends) == len(figures)
        else None,
        tuple(sum(medians) for medians in by_launch) if len(counts) == 1 else (),
        min((figure.samples for figure in figures), default=0),
    )


def time_ratio(numerator: Timed, denominator: Timed, of: Launches = "one run") -> Ratio | None:
    """Return how many times as long `numerator` takes, with its 95 % interval, or None.

    Which interval is valid depends on what the launches have in common, and how many there are:

    - Of `one run`, as many launches of each (two or more): the ratio launch by launch. Points of
      a launch share its luck, which then cancels out; where not, the pairing does no harm.
    - Of `two runs`, from 4 launches of each: the ratio of the levels of the steady launches, with
      the interval of a permutation test (`permutation`). A machine is slower for a while in either.
    - Else, as for launches that lie `apart` within a run, from 4 of each: the median of all pairs
      of launches, with what Mann & Whitney's test does not reject (`ranks.shift`).
    - 2 or 3 launches of either: Student's t of the logarithms, which assumes that launches scatter
      about normally by a factor; in both figures alike where there are as many of each and their
      variances differ less than 39-fold, which those of 3 and 3 seldom do by chance (5 %). Else
      Welch's ("The Generalization of Student's Problem when Several Different Population Variances
      are Involved", Biometrika 34, 1947).
    - One launch of either: the figures' own intervals combined, if there are two. They hold for
      these launches, so that a quarter more is allowed for; simulated ones are exact. Where
      samples are too few for an interval, the ratio may be anything.

    None where a time is not above zero.
    """
    above, below = numerator.launch_medians_s, denominator.launch_medians_s
    if min(*above, *below, numerator.median_s, denominator.median_s) <= 0:
        return None
    fewest = min(len(above), len(below))
    if of == "one run" and len(above) == len(below) > 1:
        return over_launches([a / b for a, b in zip(above, below, strict=True)])
    if of == "two runs" and fewest >= permutation.FEWEST:
        return of_levels(above, below)
    if fewest < 2:
        return _of_intervals(numerator, denominator)
    both = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    return (_by_ranks(*both) if fewest >= _BY_RANKS else None) or _by_t(*both)


def over_launches(ratios: Sequence[float]) -> Ratio:
    """Return the ratio of which each launch has given one, with its interval.

    It is `unclear` of none, and where one is not above zero.
    """
    if not ratios or min(ratios) <= 0:
        return unclear()
    found = launches.estimate([np.array([ratio]) for ratio in ratios])
    return Ratio(found.median, found.interval or _anything(found.median), found.method)


def bounded_factor(logarithm: float) -> float:
    """Return the factor of a logarithm, within those that say that nothing is known."""
    return math.exp(min(max(logarithm, -UNKNOWN), UNKNOWN))


def unclear(ratio: float = 1.0) -> Ratio:
    """Return a ratio of which too few launches tell: it may be anything, 1 too."""
    return Ratio(ratio, _anything(ratio), "too few launches", 1.0)


def _anything(ratio: float) -> Interval:
    return Interval(min(ratio, 1.0) * math.exp(-UNKNOWN), max(ratio, 1.0) * math.exp(UNKNOWN))


def level_s(seconds: Sequence[float]) -> float:
    """Return the level of launches, whose medians are given: the mean of those that are steady.

    It is 0 of none, and where one is not above zero.
    """
    if not seconds or min(seconds) <= 0:
        return 0.0
    return geometric_mean(permutation.steady(seconds))


def of_levels(above: Sequence[float], below: Sequence[float]) -> Ratio:
    """Return the ratio of the levels of launches, by permuting these.

    3 or fewer of each tell nothing; it is `unclear` where one takes no time, too.
    """
    if not above or not below or min(*above, *below) <= 0:
        return unclear()
    ends = permutation.interval(np.log(below), np.log(above))
    steady = ", ".join(f"{len(permutation.steady(each))} of {len(each)}" for each in (below, above))
    return Ratio(
        level_s(above) / level_s(below),
        Interval(*map(math.exp, ends)),
        f"permuted launches, steady ones: {steady}",
    )


def _by_ranks(above: Array, below: Array) -> Ratio | None:
    logarithm, ends = ranks.shift(np.log(below), np.log(above))
    if ends is None:
        return None
    method = f"ranks of {len(below)} and {len(above)} launches"
    return Ratio(math.exp(logarithm), Interval(*map(math.exp, ends)), method)


def _by_t(above: Array, below: Array) -> Ratio:
    ratio = float(np.median(above) / np.median(below))
    shift = _student(np.log(above), np.log(below))
    ends = Interval(*map(bounded_factor, shift))
    method = f"t of the logarithms of {len(below)} and {len(above)} launches' medians"
    return Ratio(ratio, ends.hull(Interval(ratio, ratio)), method)


def _student(above: Array, below: Array) -> Interval:
    difference = float(np.mean(above) - np.mean(below))
    parts = [float(np.var(one, ddof=1)) / len(one) for one in (below, above)]
    variance = sum(parts)
    if variance <= (1e-12 * abs(difference)) ** 2:
        return Interval(difference, difference)
    if len(above) == len(below) and max(parts) < _UNEQUAL * min(parts):
        freedom = len(above) + len(below) - 2.0
    else:
        freedom = variance**2 / sum(
            part**2 / (len(one) - 1) for part, one in zip(parts, (below, above), strict=True)
        )
    half = t_quantile(CONFIDENCE, freedom) * math.sqrt(variance)
    return Interval(difference - half, difference + half)


def _of_intervals(numerator: Timed, denominator: Timed) -> Ratio:
    above, below = numerator.median_s, denominator.median_s
    measured = bool(numerator.samples and denominator.samples)
    if measured and all(getattr(each, "simulated", False) for each in (numerator, denominator)):
        return Ratio(above / below, Interval(above / below, above / below), "simulated: exact")
    if numerator.interval is None or denominator.interval is None:
        # Measured here, a figure has an interval as soon as its samples tell anything.
        if any(each.samples and each.interval is None for each in (numerator, denominator)):
            return Ratio(above / below, _anything(above / below), "too few samples")
        return Ratio(above / below, None, "two figures without intervals")
    ends = Interval(*numerator.interval), Interval(*denominator.interval)
    combined = ratio_interval(above, ends[0], below, ends[1])
    if measured and combined:
        # What samples of one launch tell holds for that launch.
        wider = Interval(combined.low / UNSURE_RATIO, combined.high * UNSURE_RATIO)
        return Ratio(above / below, wider, "one launch, of which others may differ by a quarter")
    return Ratio(above / below, combined, "two intervals combined")


def strongest(factors: Iterable[float]) -> float | None:
    """Return the factor that is the furthest from 1, to either side; None of none."""
    return max(factors, key=lambda factor: abs(math.log(factor)), default=None)


def clearly_longer(ratio: Ratio | None, useful: float = USEFUL_RATIO) -> bool:
    """Tell whether the ratio is above 1 beyond its interval, and at least `useful`.

    What was judged together with others is so if chance makes any of them so different in 5 % at
    most. Without an interval it must be so large that chance seldom makes it.
    """
    if ratio is None or (ratio.p_value is not None and ratio.p_value > 1 - CONFIDENCE + 1e-12):
        return False
    if ratio.interval is None:
        return ratio.median >= max(useful, UNSURE_RATIO)
    return ratio.interval.low > 1 and ratio.median >= useful
