"""Which of two figures is larger, and how surely."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from leadline.analysis.stats import launches
from leadline.analysis.stats.statistics import Interval, ratio_interval

# A difference below a twentieth is of no use to anyone, however sure.
USEFUL_RATIO = 1.05

# Where nobody knows how figures scatter, chance makes a quarter often enough.
UNSURE_RATIO = 1.25


class Ratio(NamedTuple):
    """How many times as long one figure takes as another, its 95 % interval and where it is from.

    There is no interval where a figure has none, as many imported ones.
    """

    median: float
    interval: Interval | None
    method: str

    def evidence(self, name: str = "ratio") -> dict[str, float]:
        """Return the numbers by name: the ratio, and the ends of its interval where known."""
        ends = {f"{name}_{end}": value for end, value in self._ends()}
        return {name: self.median, **ends}

    def scaled(self, factor: float) -> Ratio:
        """Return the ratio times `factor`, which is above zero and known exactly."""
        ends = self.interval and Interval(*(end * factor for end in self.interval))
        return Ratio(self.median * factor, ends, self.method)

    def _ends(self) -> tuple[tuple[str, float], ...]:
        return (("low", self.interval.low), ("high", self.interval.high)) if self.interval else ()


class Timed(Protocol):
    """A figure, or what stands for one: seconds with a 95 % interval, over all and by launch."""

    @property
    def median_s(self) -> float:
        """Median over the launches."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends of the interval, where there is one."""

    @property
    def launch_medians_s(self) -> tuple[float, ...]:
        """Median of each launch."""


class Series(NamedTuple):
    """Several figures one after the other, as if they were one."""

    median_s: float
    interval: tuple[float, float] | None
    launch_medians_s: tuple[float, ...]


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
        if len(ends) == len(figures)
        else None,
        tuple(sum(medians) for medians in by_launch) if len(counts) == 1 else (),
    )


def time_ratio(numerator: Timed, denominator: Timed) -> Ratio | None:
    """Return how many times as long `numerator` takes, with its 95 % interval, or None.

    With as many launches of each (two or more) the ratio is taken launch by launch: points of
    one launch share its luck, which then cancels out, and where they do not the pairing does no
    harm. With several launches of each, but not as many, it is that of `analyse.effects`. Otherwise
    the two intervals are combined, if there are two. None where a time is not above zero.
    """
    import numpy as np

    above, below = numerator.launch_medians_s, denominator.launch_medians_s
    if min(*above, *below, numerator.median_s, denominator.median_s) <= 0:
        return None
    if len(above) == len(below) > 1:
        return Ratio(
            *launches.estimate([np.array([a / b]) for a, b in zip(above, below, strict=True)])
        )
    if min(len(above), len(below)) > 1:
        from leadline.analysis.stats.effects import effect

        found = effect(denominator, numerator)
        return found and found.ratio
    ratio = numerator.median_s / denominator.median_s
    if numerator.interval is None or denominator.interval is None:
        return Ratio(ratio, None, "two figures without intervals")
    interval = ratio_interval(
        numerator.median_s,
        Interval(*numerator.interval),
        denominator.median_s,
        Interval(*denominator.interval),
    )
    return Ratio(ratio, interval, "two intervals combined") if interval else None


def strongest(factors: Iterable[float]) -> float | None:
    """Return the factor that is the furthest from 1, to either side; None of none."""
    return max(factors, key=lambda factor: abs(math.log(factor)), default=None)


def clearly_longer(ratio: Ratio | None, useful: float = USEFUL_RATIO) -> bool:
    """Tell whether the ratio is above 1 beyond its interval, and at least `useful`.

    Without an interval it must be so large that chance seldom makes it.
    """
    if ratio is None:
        return False
    if ratio.interval is None:
        return ratio.median >= max(useful, UNSURE_RATIO)
    return ratio.interval.low > 1 and ratio.median >= useful
