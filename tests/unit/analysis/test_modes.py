"""The dip against its definition as a linear programme; modes where they are known to be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

from leadline.analysis.stats.modes import dip, dip_p_value, modes

FEW = st.lists(st.integers(0, 12).map(float), min_size=2, max_size=14)


def _nearest_unimodal(ordered: np.ndarray) -> float:
    """Return the least distance to a distribution that is convex up to a mode and concave after."""
    from scipy.optimize import linprog

    values, first, equal = np.unique(ordered, return_index=True, return_counts=True)
    under, upto = first / len(ordered), (first + equal) / len(ordered)
    count, best = len(values), 1.0
    for mode in range(count):
        # Unknown: the distribution at each value, with both sides at the mode, and the distance.
        x = np.concatenate((values[: mode + 1], values[mode:]))
        low = np.concatenate((upto[:mode], [under[mode]], upto[mode:]))
        high = np.concatenate((under[: mode + 1], [upto[mode]], under[mode + 1 :]))
        rows, bounds = [], []
        for index in range(count + 1):
            above, below = np.zeros(count + 2), np.zeros(count + 2)
            above[index], above[-1] = 1, -1
            below[index], below[-1] = -1, -1
            rows += [above, below]
            bounds += [high[index], -low[index]]
        for index in range(count):
            falls = np.zeros(count + 2)
            falls[index], falls[index + 1] = 1, -1
            rows.append(falls)
            bounds.append(0.0)
        for start in range(count - 1):
            if start + 1 in (mode, mode + 1):
                continue
            bend = np.zeros(count + 2)
            left, right = x[start + 1] - x[start], x[start + 2] - x[start + 1]
            bend[start : start + 3] = -1 / left, 1 / left + 1 / right, -1 / right
            rows.append(bend if start + 1 < mode else -bend)
            bounds.append(0.0)
        found = linprog([0.0] * (count + 1) + [1.0], rows, bounds, bounds=[(0, 1)] * (count + 2))
        if found.success:
            best = min(best, found.fun)
    return best


@how(max_examples=60)
@given(FEW)
def test_dip_is_the_distance_to_the_nearest_unimodal_distribution(values: list[float]) -> None:
    ordered = np.sort(values)
    if ordered[0] < ordered[-1]:
        assert dip(ordered) == pytest.approx(max(_nearest_unimodal(ordered), 0.5 / len(ordered)))


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=60), st.floats(0.1, 10))
def test_dip_knows_no_unit_and_is_between_its_bounds(values: list[float], factor: float) -> None:
    ordered = np.sort(np.array(values))
    found = dip(ordered)
    assert 0.5 / len(values) - 1e-12 <= found <= 0.25 + 0.5 / len(values)
    if np.all(np.diff(np.unique(ordered)) > 1e-3):
        assert dip(ordered * factor) == pytest.approx(found)


@pytest.mark.parametrize("count", [50, 200, 1000])
def test_p_value_of_uniform_samples_is_uniform(count: int) -> None:
    random = np.random.default_rng(count)
    found = [dip_p_value(dip(np.sort(random.random(count))), count) for _ in range(600)]
    # Too large rather than too small: few samples have smaller dips than the table's.
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(found) <= level) <= level + 0.03
        assert np.mean(np.array(found) <= level) >= level * 0.5 - 0.02


def test_hartigans_own_example() -> None:
    """Quality of 63 faculty members: dip 0.0595, the one of R's package diptest, p about 0.09."""
    counts = {30: 1, 33: 1, 35: 1, 36: 1, 37: 2, 39: 5, 40: 4, 41: 1, 42: 1, 43: 3, 44: 2, 45: 2}
    counts |= {46: 1, 47: 2, 48: 3, 49: 1, 50: 2, 51: 1, 52: 2, 53: 5, 54: 2, 57: 2, 59: 1, 60: 3}
    counts |= {61: 4, 62: 4, 63: 1, 66: 1, 70: 1, 72: 2, 58: 1}
    values = np.sort(np.repeat(list(counts), list(counts.values())).astype(float))
    assert len(values) == 63
    assert dip(values) == pytest.approx(0.0595, abs=0.006)


def _draw(random: np.random.Generator, name: str, count: int) -> np.ndarray:
    return {
        "normal": lambda: random.normal(10, 1, count),
        "lognormal": lambda: random.lognormal(0, 1, count),
        "heavy": lambda: 1 + random.pareto(1.2, count),
        "uniform": lambda: 1 + random.random(count),
        "clock": lambda: np.round(random.lognormal(3, 0.1, count)),
        "coarse clock": lambda: np.floor(random.normal(250, 20, count) / 26) * 26,
        "rare": lambda: (
            np.where(random.random(count) < 0.02, 5.0, 1) * random.normal(1, 0.05, count)
        ),
    }[name]()


@pytest.mark.parametrize(
    "name", ["normal", "lognormal", "heavy", "uniform", "clock", "coarse clock", "rare"]
)
@pytest.mark.parametrize("count", [20, 300, 20_000])
def test_one_mode_is_not_taken_for_two(name: str, count: int) -> None:
    random = np.random.default_rng(count)
    several = [len(modes(np.sort(_draw(random, name, count)), count).modes) > 1 for _ in range(100)]
    assert sum(several) <= 1


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_two_modes_are_found_where_they_are(share: float) -> None:
    random = np.random.default_rng(4)
    slow = random.random(5000) < share
    values = np.sort(np.where(slow, random.normal(14, 0.5, 5000), random.normal(10, 0.5, 5000)))
    found = modes(values, len(values))
    assert [round(mode.at) for mode in found.modes] == [10, 14]
    assert found.modes[1].share == pytest.approx(slow.mean(), abs=0.01)
    assert 11 < found.cuts[0] < 13
    assert found.p_value < 1e-6


def test_three_modes_on_a_clock_of_coarse_steps() -> None:
    random = np.random.default_rng(4)
    values = np.concatenate([random.normal(at, 12, 2000) for at in (300, 500, 900)])
    found = modes(np.sort(np.floor(values / 25) * 25), 6000, resolution=25)
    assert [mode.at for mode in found.modes] == pytest.approx([300, 500, 900], abs=26)


def test_samples_that_are_worth_few_prove_nothing() -> None:
    random = np.random.default_rng(4)
    values = np.sort(np.concatenate((random.normal(10, 1, 500), random.normal(15, 1, 500))))
    assert len(modes(values, 1000).modes) == 2
    assert len(modes(values, 10).modes) == 1


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=80))
def test_modes_share_all_samples(values: list[float]) -> None:
    found = modes(np.sort(values), len(values))
    assert sum(mode.share for mode in found.modes) == pytest.approx(1)
    assert len(found.cuts) == len(found.modes) - 1
    assert list(found.cuts) == sorted(found.cuts)
