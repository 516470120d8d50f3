"""Hierarchical resampling: the same as drawing one by one, and right as often as it says."""

import numpy as np
import pytest

from leadline.analysis.stats.resampling import hierarchical_interval, resampled, widened


def test_one_number_a_launch_is_as_good_as_drawing_every_sample() -> None:
    random = np.random.default_rng(3)
    values = random.lognormal(0, 1, 101)
    quick = resampled([values], 0.5, replicates=20_000)[:, 0]
    drawn = np.median(random.choice(values, (20_000, 101)), axis=1)
    for quantile in (0.025, 0.25, 0.5, 0.75, 0.975):
        assert np.quantile(quick, quantile) == pytest.approx(np.quantile(drawn, quantile), rel=0.02)


def test_the_same_seed_gives_the_same_interval() -> None:
    launches = list(np.random.default_rng(5).lognormal(0, 0.1, (8, 50)))
    assert hierarchical_interval(launches) == hierarchical_interval(launches)
    assert hierarchical_interval(launches) != hierarchical_interval(launches, seed=1)


def test_samples_that_are_alike_count_as_fewer() -> None:
    random = np.random.default_rng(8)
    independent = random.normal(10, 1, 2000)
    alike = np.repeat(random.normal(10, 1, 40), 50)
    one, two = (resampled([values])[:, 0].std() for values in (independent, alike))
    assert two > 3 * one


def test_percentiles_are_widened_to_students() -> None:
    assert widened(0.95, 1) == 0.95
    assert widened(0.95, 5) == pytest.approx(0.99809, abs=1e-4)
    assert widened(0.95, 1000) == pytest.approx(0.95, abs=1e-3)
