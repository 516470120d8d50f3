"""Detours that were put there are found, with how long they took."""

import numpy as np
import pytest
from noise_model import Pulse, quanta

from leadline.analysis.jitter.detours import Detours, Row, coincident, detours_of, rows_of
from leadline.analysis.stats.calls import arrange


def test_known_detours_are_found_with_their_durations() -> None:
    random = np.random.default_rng(1)
    row = quanta(random, [Pulse(5e-3, 7e-6)], per_second=0.0)
    found = detours_of(row)
    assert len(found.begin) == pytest.approx(row.begin[-1] / 5e-3, abs=1)
    assert np.median(found.duration) == pytest.approx(7e-6, rel=0.05)
    assert row.quiet == pytest.approx(1e-4, rel=1e-3)
    assert row.lost / row.observed == pytest.approx(7e-6 / 5e-3, rel=0.1)


def test_nothing_is_found_where_nothing_happens() -> None:
    row = quanta(np.random.default_rng(2), per_second=0.0)
    assert len(detours_of(row).begin) == 0


def test_a_slower_pace_is_lost_time_but_no_detour() -> None:
    row = quanta(np.random.default_rng(3), per_second=0.0)
    seconds = row.seconds * np.where(np.arange(6000) < 3072, 1.0, 1.5)
    slow = row._replace(begin=np.cumsum(seconds) - seconds, seconds=seconds)
    found = detours_of(slow)
    # Only where the pace changes calls differ from their surroundings.
    assert found.duration.sum() < 0.03 * slow.lost
    assert slow.lost / slow.observed == pytest.approx(0.5 / 2.5, rel=0.05)


def test_a_detour_over_several_calls_is_one() -> None:
    row = quanta(np.random.default_rng(4), per_second=0.0)
    row.seconds[1000:1003] += 2e-5
    row.flags[1001] = 5
    (begin,), (duration,), (flags,) = detours_of(row)
    assert (begin, flags) == (row.begin[1000], 5)
    assert duration == pytest.approx(6e-5, rel=0.01)


def test_calls_that_fill_windows_count_the_windows() -> None:
    """What a window lost stands beside it, so that a call has more seconds than it lasted."""
    begin = np.arange(1000) * 1e-4
    seconds = np.full(1000, 1e-4)
    seconds[::10] += 5e-5
    row = Row(0, 0, begin, seconds, np.zeros(1000, dtype=int))
    assert row.observed == pytest.approx(0.1, rel=1e-3)
    assert row.lost / row.observed == pytest.approx(0.05, rel=0.01)


def test_coincidence_is_beyond_chance() -> None:
    random = np.random.default_rng(5)

    def at(times: np.ndarray) -> Detours:
        return Detours(np.sort(times), np.ones(len(times)), np.zeros(len(times), dtype=int))

    one = random.uniform(0, 10, 2000)
    assert coincident(at(one), at(one + 1e-5), 1e-4, 10.0) == pytest.approx(1.0)
    assert abs(coincident(at(one), at(random.uniform(0, 10, 2000)), 1e-4, 10.0)) < 0.03
    half = np.concatenate([one[:1000], random.uniform(0, 10, 1000)])
    assert coincident(at(half), at(one), 1e-4, 10.0) == pytest.approx(0.5, abs=0.05)
    assert coincident(at(one), at(np.zeros(0)), 1e-4, 10.0) == 0.0


def test_rows_come_of_one_rank_too() -> None:
    columns = {
        "launch": np.zeros(4, int),
        "rank": np.zeros(4, int),
        "repetition": np.arange(4),
        "batch": np.ones(4, int),
        "series": np.zeros(4, int),
        "flags": np.array([0, 8, 0, 0]),
        "seconds": np.array([1.0, 1.0, 2.0, 1.0]),
        "begin": np.array([0.0, 1.0, 2.0, 4.0]),
    }
    assert list(arrange(columns, 8)) == []
    (calls,) = arrange(columns, 8, fewest_ranks=1)
    (row,) = rows_of(calls, 0)
    assert row.begin.tolist() == [0.0, 2.0, 4.0] and row.rank == 0
    assert list(rows_of(calls._replace(begin=np.full((4, 1), np.nan)), 0)) == []
