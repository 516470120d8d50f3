"""Trends against scipy, warm-up against the number of values that were made long."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.analysis.stats.trend import trend, warm_up


@pytest.mark.parametrize("count", [12, 40, 64])
def test_one_series_is_kendalls_and_theils(count: int) -> None:
    from scipy.stats import kendalltau, theilslopes

    random = np.random.default_rng(count)
    # Neighbours that are unlike: nothing is corrected.
    values = 10 + np.tile([0.5, -0.5], count // 2) + random.normal(0, 0.1, count)
    values += np.linspace(0, 1, count)
    found = trend(values[None, :])
    tau = kendalltau(np.arange(count), values)
    slope = theilslopes(values, np.arange(count)).slope
    change = slope * (count - 1) / np.median(values)
    assert found.factor == pytest.approx((1 + change / 2) / (1 - change / 2))
    score = tau.statistic * count * (count - 1) / 2
    deviation = np.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    from scipy.stats import norm

    assert found.p_value == pytest.approx(2 * norm.sf((abs(score) - 1) / deviation), rel=1e-6)


def test_slow_drift_of_several_launches_adds_up() -> None:
    random = np.random.default_rng(1)
    table = np.linspace(1, 1.1, 64) * random.lognormal(0, 0.1, (6, 64))
    found = trend(table)
    assert found.p_value < 1e-4
    assert found.factor == pytest.approx(1.1, abs=0.05)


def test_no_trend_is_seldom_taken_for_one() -> None:
    random = np.random.default_rng(2)
    p_values = np.array([trend(random.lognormal(0, 0.3, (3, 40))).p_value for _ in range(2000)])
    assert np.mean(p_values <= 0.05) <= 0.06
    assert np.mean(p_values <= 0.001) <= 0.004


@given(st.lists(st.floats(0.5, 2), min_size=3, max_size=30))
def test_trend_turns_around_with_time(values: list[float]) -> None:
    table = np.array(values)[None, :]
    there, back = trend(table), trend(table[:, ::-1])
    assert there.factor == pytest.approx(1 / back.factor)
    assert there.p_value == pytest.approx(back.p_value)
    assert 0 < there.p_value <= 1 or there.p_value == pytest.approx(0)


@pytest.mark.parametrize("length", [25, 60, 200])
def test_warm_up_is_as_long_as_it_was_made(length: int) -> None:
    random = np.random.default_rng(length)
    launches = []
    for _ in range(3):
        values = random.lognormal(0, 0.05, 1000) * random.lognormal(0, 0.1)
        values[:length] *= 1.5
        values[random.random(1000) < 0.01] *= 20
        launches.append(values)
    found = warm_up(launches)
    assert found
    assert found.length == pytest.approx(length, abs=5)
    assert found.factor == pytest.approx(1.5, abs=0.1)
    assert found.p_value < 1e-3


@pytest.mark.parametrize("shape", ["lognormal", "heavy", "two modes"])
def test_no_warm_up_is_seldom_taken_for_one(shape: str) -> None:
    random = np.random.default_rng(3)
    draw = {
        "lognormal": lambda: random.lognormal(0, 0.2, 400),
        "heavy": lambda: 1 + random.pareto(1.1, 400),
        "two modes": lambda: (
            np.where(random.random(400) < 0.3, 2, 1) * random.lognormal(0, 0.1, 400)
        ),
    }[shape]
    found = [warm_up([draw() for _ in range(3)]) for _ in range(500)]
    assert np.mean([one is not None and one.p_value < 1e-3 for one in found]) <= 0.012


def test_few_values_show_no_warm_up() -> None:
    assert warm_up([np.linspace(2, 1, 40)] * 3) is None
    assert warm_up([np.zeros(1000)]) is None
