"""Corrections for many comparisons: against scipy, by hand, and by what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.analysis.stats.student import (
    false_discoveries,
    holm,
    simultaneous_confidence,
)

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(p_values)
def test_holm_is_its_definition(values: list[float]) -> None:
    """The j-th smallest of m survives a level where each of the first j does at level / (m - i)."""
    ordered, found = sorted(values), holm(values)
    for value, adjusted in zip(values, found, strict=True):
        before = [p for p in ordered if p <= value]
        steps = [min(1.0, p * (len(values) - i)) for i, p in enumerate(before)]
        assert adjusted == pytest.approx(max(steps))


def test_in_benjamini_and_hochbergs_own_example_the_first_are_found() -> None:
    """The fifteen p-values of their section 4, of which Holm finds three, and they find four."""
    values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    values += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert [p <= 0.05 for p in holm(values)] == [True] * 3 + [False] * 12
    assert [p <= 0.05 for p in false_discoveries(values)] == [True] * 4 + [False] * 11


@given(p_values)
def test_false_discoveries_are_as_scipy_counts_them(values: list[float]) -> None:
    stats = pytest.importorskip("scipy.stats")
    found = false_discoveries(values)
    assert found == pytest.approx(stats.false_discovery_control(values).tolist())


@given(p_values)
def test_no_correction_makes_anything_more_significant(values: list[float]) -> None:
    for value, familywise in zip(values, holm(values), strict=True):
        assert value - 1e-12 <= familywise <= 1 + 1e-12


def test_holm_keeps_false_alarms_over_all_comparisons_at_five_percent() -> None:
    random = np.random.default_rng(1)
    alarms = [min(holm(random.random(20))) <= 0.05 for _ in range(4000)]
    assert 0.04 <= np.mean(alarms) <= 0.06


def test_confidence_of_each_of_many_intervals() -> None:
    assert simultaneous_confidence(1) == pytest.approx(0.95)
    assert simultaneous_confidence(10) == pytest.approx(0.995)


def test_few_of_what_is_found_is_false() -> None:
    """Ten real differences among forty figures, two hundred times."""
    chance = np.random.default_rng(7)
    found = wrong = 0
    for _ in range(200):
        p_values = np.concatenate([chance.uniform(0, 0.002, 10), chance.uniform(0, 1, 30)])
        below = np.array(false_discoveries(p_values.tolist())) <= 0.05
        found += int(below.sum())
        wrong += int(below[10:].sum())
    assert found > 2000 and 0.01 < wrong / found <= 0.05
