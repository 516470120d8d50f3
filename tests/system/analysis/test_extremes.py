"""Predictions of maxima from few tasks are right as often as they say, in simulation."""

import numpy as np
import pytest

from leadline.analysis.stats.extremes import (
    predict_maximum,
)

TASKS = (16, 64, 256, 1000, 4096)


def lognormal(random: np.random.Generator, shape: object) -> np.ndarray:
    return random.lognormal(0.0, 0.3, shape)


def two_modes(random: np.random.Generator, shape: object) -> np.ndarray:
    """One in 200 exchanges takes double time."""
    return random.normal(1.0, 0.01, shape) * np.where(random.random(shape) < 1 / 200, 2, 1)


def power(random: np.random.Generator, shape: object) -> np.ndarray:
    return 1 + 0.1 * random.pareto(3.0, shape)


@pytest.mark.parametrize("draw", [lognormal, two_modes, power])
def test_predictions_cover_held_out_maxima(draw) -> None:
    """Of the 95 % intervals most hold the truth; a fit beyond the samples costs some of them."""
    random = np.random.default_rng(11)
    truth = [draw(random, (600, tasks)).max(axis=1).mean() for tasks in TASKS]
    runs = 25
    held, ratios = np.zeros(len(TASKS)), []
    for _ in range(runs):
        found = predict_maximum([draw(random, (500, 16))], TASKS)
        # The truth is a mean of draws, too.
        held += [m.low * 0.99 <= t <= m.high * 1.01 for m, t in zip(found, truth, strict=True)]
        ratios.append([m.value / t for m, t in zip(found, truth, strict=True)])
    assert (held / runs >= 0.7).all(), held / runs
    assert np.abs(np.median(ratios, axis=0) - 1).max() < 0.08
