"""Laws of scaling against published examples."""

import doctest
import math

import numpy as np
import pytest

from leadline.analysis.results import scaling


def test_examples_hold():
    assert doctest.testmod(scaling).failed == 0


def test_karp_flatt_metric_of_the_textbook():
    # Quinn, "Parallel Programming in C with MPI and OpenMP", 2003, section 7.5, both examples.
    constant = {2: 1.82, 3: 2.50, 4: 3.08, 5: 3.57, 6: 4.00, 7: 4.38, 8: 4.71}
    rising = {2: 1.87, 3: 2.61, 4: 3.23, 5: 3.73, 6: 4.14, 7: 4.46, 8: 4.71}
    for count, speed in constant.items():
        assert scaling.karp_flatt(speed, count) == pytest.approx(0.1, abs=0.002)
    told = [scaling.karp_flatt(speed, count) for count, speed in rising.items()]
    assert told == pytest.approx([0.070, 0.075, 0.080, 0.085, 0.090, 0.095, 0.100], abs=0.002)


def test_universal_law_of_a_ray_tracer():
    # Gunther, "Guerrilla Capacity Planning", 2007, chapter 5: sigma 0.05, kappa 0.000005.
    counts = [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64]
    rates = [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310]
    found = scaling.universal(counts, rates)
    assert found.contention == pytest.approx(0.05, abs=0.001)
    assert found.coherency == pytest.approx(5e-6, abs=2e-6)


def test_universal_law_finds_what_made_the_data():
    counts = [2, 4, 8, 16, 32]
    rates = [(n / 2) / (1 + 0.03 * (n / 2 - 1) + 0.002 * (n / 2) * (n / 2 - 1)) for n in counts]
    found = scaling.universal(counts, rates)
    assert found.contention == pytest.approx(0.03) and found.coherency == pytest.approx(0.002)
    assert found.most == pytest.approx(2 * math.sqrt(0.97 / 0.002))


def test_coefficients_are_never_negative():
    from scipy.optimize import nnls

    random = np.random.default_rng(5)
    for _ in range(50):
        counts = np.array([1.0, 2, 3, 5, 9])
        rates = counts ** random.uniform(0.3, 1.2) * random.lognormal(0, 0.1, 5)
        excess = counts[1:] * rates[0] / rates[1:] - 1
        columns = np.stack([counts[1:] - 1, counts[1:] * (counts[1:] - 1)], axis=1)
        best, _ = nnls(columns, excess)
        found = scaling.universal(list(counts), list(rates))
        assert (found.contention, found.coherency) == pytest.approx(tuple(best), abs=1e-9)


def test_perfect_scaling_has_no_end():
    found = scaling.universal([1, 2, 4], [1.0, 2.0, 4.0])
    assert (found.contention, found.coherency, found.most) == (0, 0, math.inf)
