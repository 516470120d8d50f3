"""Launches that scatter more with one choice than with another, and false alarms."""

import numpy as np
import pytest

from leadline.analysis.findings.rules.steadiness import launch_scatter

SIZES = (8, 1024, 65536)


@pytest.fixture
def scattered(evidence, figure):
    """Figures of libraries by how their launches scatter: a function that draws one factor."""

    def make(draws, launches=10):
        figures = []
        for mpi, draw in draws.items():
            # A launch has one state, which all of its figures share.
            factors = [draw() for _ in range(launches)]
            figures += [
                figure(
                    1e-6,
                    size,
                    mpi=mpi,
                    launches=launches,
                    launch_medians_s=tuple(1e-6 * factor for factor in factors),
                )
                for size in SIZES
            ]
        return evidence(figures)

    return make


def lognormal(seed, sigma):
    random = np.random.default_rng(seed)
    return lambda: random.lognormal(0, sigma)


def test_a_library_with_restless_launches_is_named(scattered):
    whole = scattered({"first": lognormal(1, 0.02), "second": lognormal(2, 0.4)})
    (found,) = launch_scatter.find(whole)
    assert "launches of second vary by 21 %, those of first by" in found.text
    assert found.evidence["typical_off_fraction"] > 0.1 > found.evidence["steady_off_fraction"]
    assert "--mpi second,first" in found.command


def test_too_few_launches_tell_nothing(scattered):
    whole = scattered({"first": lognormal(1, 0.02), "second": lognormal(2, 0.4)}, launches=5)
    assert list(launch_scatter.find(whole)) == []


def test_like_scatter_is_seldom_told_apart(scattered):
    random = np.random.default_rng(3)

    def two_modes():
        return random.choice([1.0, 2.0]) * random.lognormal(0, 0.05)

    alarms = 0
    for seed in range(100):
        alike = {name: lognormal(10 * seed + n, 0.3) for n, name in enumerate("abc")}
        alarms += len(list(launch_scatter.find(scattered(alike, launches=8))))
        modes = dict.fromkeys("abc", two_modes)
        alarms += len(list(launch_scatter.find(scattered(modes, launches=8))))
    assert alarms <= 4
