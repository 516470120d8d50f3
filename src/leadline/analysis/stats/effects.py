"""How much longer one figure takes than another that was measured in other launches."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from leadline.analysis.stats import ranks
from leadline.analysis.stats.comparison import Ratio, Timed
from leadline.analysis.stats.statistics import CONFIDENCE, Interval, ratio_interval
from leadline.analysis.stats.student import t_quantile, two_sided

if TYPE_CHECKING:
    from leadline.analysis.stats.statistics import Array

# Fewer launches than this cannot show the shape of their scatter, and have no order statistics.
_BY_RANKS = 6

# An interval that reaches this factor both ways says that nothing is known.
_UNKNOWN = math.log(1000.0)


class Effect(NamedTuple):
    """What `other` takes against `base`, as a factor and as a difference in seconds.

    `ratio` and `shift_s` (Hodges and Lehmann's) are those of a launch against a launch, both with
    their interval where there is one. `superiority` is the probability that a launch of `other`
    takes longer than one of `base`. `p_value` is that of no difference at all, None where launches
    are not repeated.
    """

    ratio: Ratio
    shift_s: float
    shift_interval: Interval | None
    superiority: float
    p_value: float | None


def effect(base: Timed, other: Timed, confidence: float = CONFIDENCE) -> Effect | None:
    """Return the effect of `other` against `base`; None where a time is not above zero.

    - From 6 launches of each, or as many as the confidence takes: by ranks. The ratio is the median
      over all pairs of launches, its interval holds the ratios that Mann & Whitney's test does not
      reject, and its p-value is that test's: all three agree.
    - 2 to 5 launches of either: Welch's t ("The Generalization of Student's Problem when Several
      Different Population Variances are Involved", Biometrika 34, 1947), on the logarithms for the
      ratio and its p-value. It assumes that launches scatter about normally by a factor.
    - One launch of either: the figures' own intervals combined. They know nothing of other
      launches, so there is no p-value.

    For figures of the same launches `comparison.time_ratio` is sharper: it pairs them.
    """
    import numpy as np

    before, after = (np.asarray(one.launch_medians_s, dtype=float) for one in (base, other))
    if min(*before, *after, base.median_s, other.median_s) <= 0:
        return None
    above = ranks.superiority(before, after) if len(before) and len(after) else 0.5
    if min(len(before), len(after)) < 2:
        return _of_intervals(base, other, confidence, above)
    if min(len(before), len(after)) >= _BY_RANKS:
        found = _by_ranks(before, after, confidence, above)
        if found:
            return found
    return _by_t(before, after, confidence, above)


def _by_ranks(base: Array, other: Array, confidence: float, above: float) -> Effect | None:
    import numpy as np

    logarithm, ends = ranks.shift(np.log(base), np.log(other), confidence)
    if ends is None:
        return None
    method = f"ranks of {len(base)} and {len(other)} launches"
    return Effect(
        Ratio(math.exp(logarithm), Interval(math.exp(ends.low), math.exp(ends.high)), method),
        *ranks.shift(base, other, confidence),
        above,
        ranks.rank_test(base, other),
    )


def _by_t(base: Array, other: Array, confidence: float, above: float) -> Effect:
    import numpy as np

    ratio = float(np.median(other) / np.median(base))
    factor, p_value = _welch(np.log(base), np.log(other), confidence)
    ends = Interval(*(math.exp(max(-_UNKNOWN, min(_UNKNOWN, end))) for end in factor))
    shift_s = ranks.shift(base, other)[0]
    seconds = _welch(base, other, confidence)[0]
    method = f"t of the logarithms of {len(base)} and {len(other)} launches' medians"
    return Effect(
        Ratio(ratio, ends.hull(Interval(ratio, ratio)), method),
        shift_s,
        seconds.hull(Interval(shift_s, shift_s)),
        above,
        p_value,
    )


def _welch(base: Array, other: Array, confidence: float) -> tuple[Interval, float]:
    """Return the interval of the difference of means, and the p-value of none."""
    import numpy as np

    difference = float(np.mean(other) - np.mean(base))
    parts = [float(np.var(one, ddof=1)) / len(one) for one in (base, other)]
    variance = sum(parts)
    if variance <= (1e-12 * abs(difference)) ** 2:
        return Interval(difference, difference), 1.0 if difference == 0 else 0.0
    freedom = variance**2 / sum(
        part**2 / (len(one) - 1) for part, one in zip(parts, (base, other), strict=True)
    )
    error = math.sqrt(variance)
    half = t_quantile(confidence, freedom) * error
    interval = Interval(difference - half, difference + half)
    return interval, two_sided(abs(difference) / error, freedom)


def _of_intervals(base: Timed, other: Timed, confidence: float, above: float) -> Effect:
    ratio, difference = other.median_s / base.median_s, other.median_s - base.median_s
    if base.interval is None or other.interval is None:
        method = "two figures without intervals"
        return Effect(Ratio(ratio, None, method), difference, None, above, None)
    wider = NormalDist().inv_cdf((1 + confidence) / 2) / NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    ends = [_stretched(one, wider) for one in (base, other)]
    down = math.hypot(other.median_s - ends[1].low, ends[0].high - base.median_s)
    up = math.hypot(ends[1].high - other.median_s, base.median_s - ends[0].low)
    return Effect(
        Ratio(
            ratio,
            ratio_interval(other.median_s, ends[1], base.median_s, ends[0]),
            "two intervals combined",
        ),
        difference,
        Interval(difference - down, difference + up),
        above,
        None,
    )


def _stretched(figure: Timed, factor: float) -> Interval:
    """Return the figure's interval with both ends so many times as far away, as logarithms."""
    low, high = figure.interval or (figure.median_s, figure.median_s)
    if low <= 0:
        return Interval(low, high)
    middle = figure.median_s
    return Interval(middle * (low / middle) ** factor, middle * (high / middle) ** factor)
