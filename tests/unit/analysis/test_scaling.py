"""LogGP's parameters from times that were made of known ones."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.analysis.results import scaling
from leadline.analysis.results.scaling import loggp
from leadline.model.summary import Regime


class Figure(NamedTuple):
    median_s: float
    interval: tuple[float, float] | None
    launch_medians_s: tuple[float, ...]


def piece(latency_s: float, per_byte: float, **changes: float | None) -> Regime:
    known = {
        "from_bytes": 1,
        "to_bytes": 4096,
        "latency_s": latency_s,
        "latency_low_s": latency_s * 0.9,
        "latency_high_s": latency_s * 1.1,
        "seconds_per_byte": per_byte,
        "seconds_per_byte_low": per_byte * 0.9,
        "seconds_per_byte_high": per_byte * 1.1,
        "mean_residual": 0.01,
        "largest_residual": 0.02,
    }
    return Regime(**(known | changes))


seconds = st.floats(1e-9, 1e-3)


@given(latency=seconds, overhead=seconds, gap=seconds, per_byte=st.floats(1e-12, 1e-8))
def test_known_parameters_come_back(
    latency: float, overhead: float, gap: float, per_byte: float
) -> None:
    work = 2e-3
    found = loggp(
        [piece(latency + 2 * overhead, per_byte * 3), piece(1e-5, per_byte)],
        Figure(gap, (gap, gap), (gap,)),
        Figure(work, None, (work, work)),
        Figure(work + overhead, None, (work + overhead, work + overhead)),
    )
    assert found is not None and found.gap and found.overhead
    assert found.start.value == pytest.approx(latency + 2 * overhead)
    assert found.start.interval == pytest.approx((found.start.value * 0.9, found.start.value * 1.1))
    assert found.per_byte.value == pytest.approx(per_byte)
    assert found.gap.value == gap
    assert found.overhead.value == pytest.approx(overhead, rel=1e-3)
    assert found.latency_s == pytest.approx(latency, rel=1e-2, abs=1e-11)
    assert found.on_the_way == pytest.approx((latency + 2 * overhead) / gap)


def test_the_interval_of_the_overhead_is_over_launches() -> None:
    random = np.random.default_rng(1)
    work = 1e-5 * random.lognormal(0, 0.01, 12)
    added = 2e-7 * random.lognormal(0, 0.1, 12)
    found = loggp(
        [piece(1e-6, 1e-10)],
        None,
        Figure(float(np.median(work)), None, tuple(work)),
        Figure(float(np.median(work + added)), None, tuple(work + added)),
    )
    assert found is not None and found.overhead and found.overhead.interval
    low, high = found.overhead.interval
    assert 1.5e-7 < low < 2e-7 < high < 2.6e-7
    assert found.gap is None and found.on_the_way is None


def test_a_sending_that_costs_nothing_has_no_overhead() -> None:
    same = Figure(1e-5, None, (1e-5,))
    found = loggp([piece(1e-6, 1e-10)], None, same, same)
    assert found is not None
    assert found.overhead is None and found.latency_s is None


def test_without_intervals_there_are_none() -> None:
    found = loggp([piece(1e-6, 1e-10, latency_low_s=None, seconds_per_byte_low=None)])
    assert found is not None
    assert found.start.interval is None and found.per_byte.interval is None
    assert found.start.evidence("start", "s") == {"start_s": 1e-6}


def test_without_a_ping_pong_there_is_nothing() -> None:
    assert loggp([]) is None


def test_karp_flatt_metric_of_the_textbook():
    # Quinn, "Parallel Programming in C with MPI and OpenMP", 2003, section 7.5, both examples.
    constant = {2: 1.82, 3: 2.50, 4: 3.08, 5: 3.57, 6: 4.00, 7: 4.38, 8: 4.71}
    rising = {2: 1.87, 3: 2.61, 4: 3.23, 5: 3.73, 6: 4.14, 7: 4.46, 8: 4.71}
    for count, speed in constant.items():
        assert scaling.karp_flatt(speed, count) == pytest.approx(0.1, abs=0.002)
    told = [scaling.karp_flatt(speed, count) for count, speed in rising.items()]
    assert told == pytest.approx([0.070, 0.075, 0.080, 0.085, 0.090, 0.095, 0.100], abs=0.002)
