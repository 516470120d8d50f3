"""Ratios of figures."""

import msgspec
import numpy as np
import pytest
from figures import flat

from leadline.analysis.stats.comparison import clearly_longer, time_ratio
from leadline.model.summary import PointSummary


def figure(*launches: float) -> PointSummary:
    median = float(np.median(launches))
    return flat(
        median,
        launches=len(launches),
        launch_medians_s=launches,
        ci95_low_s=median * 0.9,
        ci95_high_s=median * 1.1,
    )


def test_common_luck_of_launches_cancels_out() -> None:
    ratio = time_ratio(figure(2.0, 4.0, 8.02), figure(1.0, 2.0, 4.0))
    assert ratio and ratio.median == pytest.approx(2.0)
    assert 1.99 < ratio.interval.low <= 2.0 <= ratio.interval.high < 2.02


def test_unequal_launches_combine_their_intervals() -> None:
    ratio = time_ratio(figure(2.0), figure(1.0, 1.0))
    assert ratio and ratio.median == 2.0
    assert 1.6 < ratio.interval.low < 2 * 0.9
    assert ratio.method == "two intervals combined"


def test_time_of_zero_has_no_ratio() -> None:
    zero = msgspec.structs.replace(figure(0.0, 0.0))
    assert time_ratio(figure(1.0, 1.0), zero) is None
    assert not clearly_longer(None)


def test_wrong_claims_are_rare() -> None:
    """Two equal choices, three launches each that share their luck: how often is one 'slower'?"""
    random = np.random.default_rng(9)
    claims, trials = 0, 2000
    for _ in range(trials):
        luck = random.lognormal(0, 0.3, 3)
        one, other = luck * random.lognormal(0, 0.03, (2, 3))
        claims += clearly_longer(time_ratio(figure(*one), figure(*other)))
    assert claims / trials < 0.03
