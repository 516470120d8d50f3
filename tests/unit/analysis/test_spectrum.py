"""The spectrum of detours, held against what is known of it."""

import numpy as np
import pytest

from leadline.analysis.jitter.detours import Detours
from leadline.analysis.jitter.periods import spectrum


def at(times: np.ndarray) -> Detours:
    return Detours(times, np.ones(len(times)), np.zeros(len(times), dtype=int))


def test_detours_at_random_have_the_power_one() -> None:
    random = np.random.default_rng(1)
    rows = [at(np.sort(random.uniform(0, 1, 500))) for _ in range(50)]
    _, power = spectrum(rows, [1.0] * 50, 1e-3, bands=100_000)
    assert power.mean() == pytest.approx(1.0, abs=0.1)


def test_a_period_has_the_power_of_all_its_detours() -> None:
    frequency, power = spectrum([at(np.arange(0, 2, 0.004))], [2.0], 1e-4)
    at_period = np.abs(frequency - 250) < 1
    assert power[at_period].max() == pytest.approx(500, rel=0.05)
    assert frequency[0] >= 1 and frequency[-1] <= 5000


def test_nothing_has_no_spectrum() -> None:
    empty = at(np.zeros(0))
    assert [len(each) for each in spectrum([empty], [1.0], 1e-3)] == [0, 0]
