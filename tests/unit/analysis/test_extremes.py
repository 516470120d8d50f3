"""Predictions from few tasks, held against many tasks that the predictor has not seen."""

import numpy as np
import pytest

from leadline.analysis.stats.extremes import (
    fit_tail,
    maximum_if_independent,
    mean_interval,
    predict_maximum,
)


def lognormal(random: np.random.Generator, shape: object) -> np.ndarray:
    return random.lognormal(0.0, 0.3, shape)


def two_modes(random: np.random.Generator, shape: object) -> np.ndarray:
    """One in 200 exchanges takes double time."""
    return random.normal(1.0, 0.01, shape) * np.where(random.random(shape) < 1 / 200, 2, 1)


def test_one_in_two_hundred_doubled_doubles_nearly_every_call_of_a_thousand_tasks() -> None:
    random = np.random.default_rng(2)
    seconds = 10e-6 * two_modes(random, (1000, 16))
    (few, many) = predict_maximum([seconds], (16, 1000))
    assert few.value == pytest.approx(seconds.max(axis=1).mean(), rel=0.02)
    assert few.value < 1.2 * 10e-6
    assert 1.95 * 10e-6 < many.low <= many.value <= many.high < 2.1 * 10e-6


def values(seconds: np.ndarray, tasks: list[int]) -> list[float]:
    return [one.value for one in predict_maximum([seconds], tasks)]


def test_known_maxima() -> None:
    # Exponential: the expected maximum of m is the sum of 1/k to m.
    samples = np.random.default_rng(3).exponential(1.0, (20_000, 1))
    tasks = [1, 2, 10, 100, 1000, 100_000]
    wanted = [sum(1 / k for k in range(1, m + 1)) for m in tasks]
    assert values(samples, tasks) == pytest.approx(wanted, rel=0.1)
    # Nothing scatters: nothing grows.
    assert values(np.full((500, 1), 3.0), [1, 10**6]) == pytest.approx([3.0, 3.0])
    # One sample has no tail.
    assert values(np.array([[2.0]]), [1, 50]) == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize("shape", [-0.3, 0.0, 0.3])
def test_the_fit_finds_shape_and_scale(shape: float) -> None:
    random = np.random.default_rng(5)
    left = random.random(50_000)
    excess = -np.log(left) if shape == 0 else (left**-shape - 1) / shape
    tail = fit_tail(np.sort(1.0 + 0.5 * excess))
    assert tail is not None
    assert tail.shape == pytest.approx(shape, abs=0.12)
    # Above a threshold u the scale is sigma + shape u.
    assert tail.scale == pytest.approx(0.5 + shape * (tail.threshold - 1.0), rel=0.15)


def test_a_second_mode_is_a_tail_of_its_own() -> None:
    tail = fit_tail(np.sort(two_modes(np.random.default_rng(7), 40_000)))
    assert tail is not None and tail.threshold > 1.5


def test_what_tasks_share_shows_as_a_maximum_below_that_of_independent_ones() -> None:
    random = np.random.default_rng(9)
    alone = lognormal(random, (2000, 8))
    assert maximum_if_independent(alone) == pytest.approx(alone.max(axis=1).mean(), rel=0.02)
    shared = alone[:, :1] * random.normal(1.0, 0.01, (2000, 8))
    assert maximum_if_independent(shared) > 1.3 * shared.max(axis=1).mean()
    # Tasks of different speed are not dependent.
    unlike = alone * np.linspace(1, 2, 8)
    assert maximum_if_independent(unlike) == pytest.approx(unlike.max(axis=1).mean(), rel=0.02)


def test_blocks_of_slow_calls_widen_the_interval() -> None:
    random = np.random.default_rng(13)
    scattered = lognormal(random, (2000, 4))
    slow = scattered * np.where(np.arange(2000) // 100 % 10 == 3, 2.0, 1.0)[:, None]
    shuffled = random.permutation(slow)
    (blocky,), (mixed,) = predict_maximum([slow], (64,)), predict_maximum([shuffled], (64,))
    assert blocky.high - blocky.low > 1.5 * (mixed.high - mixed.low)
    ((low, high),) = mean_interval([slow.max(axis=1)])
    ((lower, higher),) = mean_interval([shuffled.max(axis=1)])
    assert low < slow.max(axis=1).mean() < high and high - low > 2 * (higher - lower)


def test_launches_that_differ_widen_the_interval() -> None:
    random = np.random.default_rng(17)
    alike = [lognormal(random, (500, 4)) for _ in range(5)]
    unlike = [each * factor for each, factor in zip(alike, (1, 1.3, 0.8, 1.5, 1), strict=True)]
    (first,), (second,) = predict_maximum(alike, (64,)), predict_maximum(unlike, (64,))
    assert second.high - second.low > 2 * (first.high - first.low)
    assert predict_maximum(alike, (64,)) == [first], "the same samples give the same interval"
