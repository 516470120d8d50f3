"""Intervals of medians hold the truth as often as they say, in simulation."""

import numpy as np
import pytest

from leadline.analysis.stats.resampling import hierarchical_interval


@pytest.mark.parametrize("launches", [6, 15])
def test_interval_of_the_median_covers(launches: int) -> None:
    random = np.random.default_rng(launches)
    hits, trials = 0, 400
    for trial in range(trials):
        levels = random.lognormal(0.0, 0.1, launches)
        found = hierarchical_interval(
            [level * random.lognormal(0.0, 0.1, 40) for level in levels], seed=trial
        )
        hits += found.low <= 1.0 <= found.high
    assert 0.91 <= hits / trials <= 0.98
