"""Changes of level: found where they are, and seldom where there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.analysis.stats.trend import block_medians, changes, independence, warm_up


def _autoregressive(random: np.random.Generator, count: int, alike: float) -> np.ndarray:
    values = np.empty(count)
    values[0] = random.normal()
    for index in range(1, count):
        values[index] = alike * values[index - 1] + random.normal()
    return 20 + values


def test_two_changes_are_found_where_they_are() -> None:
    random = np.random.default_rng(1)
    values = np.repeat([1.0, 1.2, 0.8], [22, 16, 26]) * random.lognormal(0, 0.03, 64)
    found = changes(values)
    assert [change.position for change in found] == [22, 38]
    assert [change.factor for change in found] == pytest.approx([1.2, 0.8 / 1.2], rel=0.05)


@pytest.mark.parametrize(("name", "alike"), [("independent", 0.0), ("alike", 0.5)])
def test_no_change_is_seldom_taken_for_one(name: str, alike: float) -> None:
    random = np.random.default_rng(2)
    alarms = [bool(changes(_autoregressive(random, 64, alike), chance=0.01)) for _ in range(1000)]
    assert np.mean(alarms) <= (0.05 if alike else 0.015)


def test_long_times_are_no_change() -> None:
    random = np.random.default_rng(3)
    assert sum(bool(changes(1 + random.pareto(0.8, 64))) for _ in range(300)) <= 2


def test_pettitts_statistic_has_the_p_value_of_its_source() -> None:
    """A change is found exactly from 2 exp(-6 K^2 / (n^3 + n^2)) on; K is 400 for 20 and 20."""
    values = np.repeat([1.0, 2.0], 20) + np.tile([0.0, 0.001, 0.0005, 0.0007], 10)
    p_value = 2 * np.exp(-6 * 400**2 / (40**3 + 40**2))
    assert changes(values, chance=p_value * 1.01)
    assert not changes(values, chance=p_value * 0.99)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=70), st.floats(0.01, 100))
def test_changes_know_no_unit(values: list[float], factor: float) -> None:
    one, two = (changes(np.array(values) * unit) for unit in (1.0, factor))
    assert len(two) <= len(values) // 4
    if len(set(np.round(np.array(values) * factor, 9))) == len(set(values)):
        assert [change.position for change in one] == [change.position for change in two]


def test_blocks_are_medians_of_equal_stretches() -> None:
    assert block_medians(np.arange(10.0), 3).tolist() == [1.0, 4.0, 7.0]
    assert block_medians(np.arange(3.0), 8).tolist() == [0.0, 1.0, 2.0]
    assert len(block_medians(np.arange(1000.0), 64)) == 64


@pytest.mark.parametrize("alike", [0.0, 0.5, 0.9])
def test_independence_is_that_of_an_autoregression(alike: float) -> None:
    values = _autoregressive(np.random.default_rng(4), 20_000, alike)
    assert independence(values) == pytest.approx((1 - alike) / (1 + alike), rel=0.15)


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
