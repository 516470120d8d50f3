"""Which of two figures is larger, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from leadline.analyse import launches
from leadline.analyse.statistics import Interval, ratio_interval

# A difference below a twentieth is of no use to anyone, however sure.
USEFUL_RATIO = 1.05


class Timed(Protocol):
    """A figure, or what stands for one: seconds with a 95 % interval, over all and by launch."""

    @property
    def median_s(self) -> float:
        """Median over the launches."""

    @property
    def ci95_low_s(self) -> float:
        """Lower end of the interval."""

    @property
    def ci95_high_s(self) -> float:
        """Upper end of the interval."""

    @property
    def launch_medians_s(self) -> tuple[float, ...]:
        """Median of each launch."""


class Series(NamedTuple):
    """Several figures one after the other, as if they were one."""

    median_s: float
    ci95_low_s: float
    ci95_high_s: float
    launch_medians_s: tuple[float, ...]


def in_series(figures: Sequence[Timed]) -> Series:
    """Return the time of all `figures` together.

    The launches are added one by one where all figures have as many, and are left out otherwise;
    the ends of the intervals are added too, which is wider than need be.
    """
    counts = {len(figure.launch_medians_s) for figure in figures}
    by_launch = zip(*(figure.launch_medians_s for figure in figures), strict=False)
    return Series(
        sum(figure.median_s for figure in figures),
        sum(figure.ci95_low_s for figure in figures),
        sum(figure.ci95_high_s for figure in figures),
        tuple(sum(medians) for medians in by_launch) if len(counts) == 1 else (),
    )


def time_ratio(numerator: Timed, denominator: Timed) -> launches.Estimate | None:
    """Return how many times as long `numerator` takes, with its 95 % interval, or None.

    With as many launches of each (two or more) the ratio is taken launch by launch: points of
    one launch share its luck, which then cancels out, and where they do not the pairing does no
    harm. Otherwise the two intervals are combined. None where a time is not above zero.
    """
    import numpy as np

    above, below = numerator.launch_medians_s, denominator.launch_medians_s
    if min(*above, *below, numerator.median_s, denominator.median_s) <= 0:
        return None
    if len(above) == len(below) > 1:
        return launches.estimate([np.array([a / b]) for a, b in zip(above, below, strict=True)])
    interval = ratio_interval(
        numerator.median_s,
        Interval(numerator.ci95_low_s, numerator.ci95_high_s),
        denominator.median_s,
        Interval(denominator.ci95_low_s, denominator.ci95_high_s),
    )
    ratio = numerator.median_s / denominator.median_s
    return launches.Estimate(ratio, interval, "two intervals combined") if interval else None


def clearly_longer(ratio: launches.Estimate | None) -> bool:
    """Tell whether the ratio is above 1 beyond its interval, and by a useful amount."""
    return ratio is not None and ratio.interval.low > 1 and ratio.median >= USEFUL_RATIO
