"""Periods that were put there are found, and where there are none, none is."""

import numpy as np
import pytest
from noise_model import Pulse, quanta

from leadline.analysis.jitter.detours import Detours, detours_of
from leadline.analysis.jitter.periods import Train, trains

TICK = Pulse(4e-3, 3e-6)


def found_in(rows) -> list[Train]:
    spacing = float(np.median([row.spacing for row in rows]))
    return trains(
        [detours_of(row) for row in rows], [float(row.begin[-1]) for row in rows], spacing
    )


def test_ticks_are_found_among_random_detours_and_drift() -> None:
    """250 Hz, each tick up to two quanta early or late, a pace that drifts by a fiftieth."""
    random = np.random.default_rng(1)
    tick = TICK._replace(jitter=1e-4)
    rows = [quanta(random, [tick], per_second=200.0, drift=0.02, rank=rank) for rank in (0, 1)]
    (train,) = found_in(rows)
    assert abs(train.period - 4e-3) < max(3 * train.error, 1e-6)
    assert train.error < 1e-5
    for row, members in zip(rows, train.members, strict=True):
        assert len(members) > 0.7 * row.begin[-1] / 4e-3


def test_intervals_hold_the_period() -> None:
    random = np.random.default_rng(2)
    held = 0
    for _ in range(20):
        period = random.uniform(2e-3, 2e-2)
        row = quanta(random, [Pulse(period, 5e-6)], calls=3000)
        (train,) = found_in([row])
        held += abs(train.period - period) <= 1.96 * train.error
    assert held >= 18


def test_two_periods_are_told_apart() -> None:
    random = np.random.default_rng(3)
    rows = [quanta(random, [TICK, Pulse(0.05, 4e-5)], rank=rank) for rank in (0, 1)]
    first, second = found_in(rows)
    assert first.period == pytest.approx(4e-3, rel=1e-4)
    assert second.period == pytest.approx(0.05, rel=1e-3)
    assert sum(map(len, second.members)) == pytest.approx(2 * 12, abs=3)


def test_a_period_of_one_rank_is_of_that_rank() -> None:
    random = np.random.default_rng(4)
    rows = [quanta(random, [TICK] if rank == 2 else [], rank=rank) for rank in range(4)]
    (train,) = found_in(rows)
    assert train.present == (False, False, True, False)


def test_missed_ticks_do_not_make_their_multiples_periods() -> None:
    random = np.random.default_rng(5)
    row = quanta(random, [TICK], calls=12_000, per_second=5.0)
    missed = np.zeros(12_000, dtype=bool)
    for start in range(0, 12_000, 400):
        missed[start : start + int(random.integers(0, 200))] = True
    quiet = row._replace(seconds=np.where(missed, row.quiet, row.seconds))
    assert [round(train.period, 6) for train in found_in([quiet])] == [4e-3]


def test_a_daemon_that_is_late_now_and_then_is_found_with_what_is_known_of_it() -> None:
    random = np.random.default_rng(8)
    daemon = Pulse(0.05, 4e-5, jitter=1e-3)
    rows = [quanta(random, [daemon], calls=20_000, per_second=5.0, rank=rank) for rank in (0, 1)]
    (train,) = found_in(rows)
    assert abs(train.period - 0.05) < 2 * train.error < 0.01


def test_bursts_are_no_period() -> None:
    random = np.random.default_rng(6)
    for _ in range(5):
        row = quanta(random, calls=10_000)
        for start in random.integers(0, 9800, 4):
            row.seconds[start : start + 120 : 3] += 1e-5
        assert found_in([row]) == []


def test_nothing_comes_of_nothing() -> None:
    empty = Detours(np.zeros(0), np.zeros(0), np.zeros(0, dtype=int))
    assert trains([empty, empty], [1.0, 1.0], 1e-4) == []
    assert trains([empty], [1e-4], 1e-4) == []
