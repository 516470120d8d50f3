"""Straight pieces of curves that are known, and how often their intervals hold the truth."""

import runpy
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from leadline.analysis.results.sweep import regimes
from leadline.model.summary import PointSummary

_SWEEP = runpy.run_path(str(Path(__file__).with_name("test_sweep.py")))
Curve, SIZES = _SWEEP["Curve"], _SWEEP["SIZES"]


def _curve(table: np.ndarray) -> list[PointSummary]:
    """Return a curve with these launches' medians, shape (sizes, launches)."""
    medians = np.median(table, axis=1)
    return [
        msgspec.structs.replace(point, launch_medians_s=tuple(row))
        for point, row in zip(Curve(SIZES, medians).points(), table.tolist(), strict=True)
    ]


def _times(latency_s: float, per_byte: float) -> np.ndarray:
    return latency_s + per_byte * np.array(SIZES, float)


def _ends(found: Sequence) -> list[tuple[int, int]]:
    return [(one.from_bytes, one.to_bytes) for one in found]


def test_one_line_is_one_regime() -> None:
    times = _times(1e-6, 1e-10)[:, None] * np.ones((1, 3))
    (found,) = regimes(_curve(times), ())
    assert (found.from_bytes, found.to_bytes) == (1, SIZES[-1])
    assert found.latency_s == pytest.approx(1e-6)
    assert found.seconds_per_byte == pytest.approx(1e-10)
    assert found.latency_low_s == pytest.approx(1e-6)
    assert found.largest_residual < 1e-9


def test_a_protocol_and_a_cache_make_three() -> None:
    sizes = np.array(SIZES)
    eager, rendezvous = _times(1e-6, 1e-10), _times(3e-6, 0.5e-10)
    beyond = rendezvous + np.maximum(sizes - 2**17, 0) * 3e-10
    times = np.where(sizes < 2**13, eager, beyond)[:, None] * np.array([[0.99, 1.0, 1.01]])
    found = regimes(_curve(times), (2**13,))
    assert _ends(found)[0] == (1, 2**12)
    assert found[0].seconds_per_byte == pytest.approx(1e-10, rel=0.05)
    assert found[1].from_bytes == 2**13
    assert found[1].latency_s == pytest.approx(3e-6, rel=0.1)
    assert found[-1].seconds_per_byte == pytest.approx(3.5e-10, rel=0.1)
    assert len(found) == 3
    # Beyond the cache time falls short of any line with a latency above zero, and the residual of
    # the last piece says so.
    assert [one.mean_residual <= 0.05 for one in found] == [True, True, False]


@pytest.mark.parametrize("launches", [3, 10])
def test_intervals_hold_the_truth(launches: int) -> None:
    random = np.random.default_rng(launches)
    hits, trials = np.zeros(2), 300
    for _ in range(trials):
        level = np.exp(0.03 * random.normal(size=(1, launches)))
        noise = np.exp(0.01 * random.normal(size=(len(SIZES), launches)))
        (found,) = regimes(_curve(_times(1e-6, 1e-10)[:, None] * level * noise), ())
        hits += [
            found.latency_low_s <= 1e-6 <= found.latency_high_s,
            found.seconds_per_byte_low <= 1e-10 <= found.seconds_per_byte_high,
        ]
    assert np.all((hits / trials >= 0.92) & (hits / trials <= 0.98))


def test_one_launch_and_few_sizes() -> None:
    (found,) = regimes(_curve(_times(1e-6, 1e-10)[:, None]), ())
    assert found.latency_low_s is None
    assert regimes(_curve(_times(1e-6, 1e-10)[:, None])[:3], ()) == ()
    assert regimes([], ()) == ()
