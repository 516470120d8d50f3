"""Clocks that are off and drift, set against each other by meetings alone."""

import numpy as np
import pytest

from leadline.explain.clocks import Meetings, clocks, common

# The true time of node 1's clock and of node 2's, as it goes there.
AHEAD, DRIFT = (0.0, 3.7, -12.0), (0.0, 2e-5, -1e-5)


def by_clock(node, seconds):
    return AHEAD[node] + (1 + DRIFT[node]) * seconds


def met(times, nodes=(0, 1, 2), latency_s=2e-6, noise_s=1e-4, seed=1, late_s=0.0):
    """Nodes come up to `noise_s` apart, and leave `latency_s` after the last one, or later.

    Node 1 comes `late_s` later, but for the 16 barriers at either end.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for number, time in enumerate(times):
        came = {node: time + noise_s * rng.random() for node in nodes}
        if 16 <= number < len(times) - 16 and 1 in came:
            came[1] += late_s
        last = max(came.values())
        for node in nodes:
            left = last + latency_s * (1 + rng.exponential(2.0))
            rows.append((number, node, by_clock(node, came[node]), by_clock(node, left)))
    meeting, node, came_s, left_s = (np.array(each) for each in zip(*rows, strict=True))
    return Meetings(meeting, node, came_s, left_s)


def test_clocks_are_found_to_within_what_is_said():
    found = clocks(met(np.linspace(0, 60, 3000)), 3)
    times = np.linspace(0.5, 59.5, 200)
    base = next(node for node in range(3) if not found[node].offsets_s.any())
    truth = by_clock(base, times)
    for node in range(3):
        own = by_clock(node, times)
        off = np.abs(common(found[node], own) - truth)
        assert (off <= found[node].error_at(own) + 1e-7).all()
        assert found[node].error_at(own).max() < 2e-5


@pytest.mark.parametrize("seed", range(5))
def test_the_barriers_at_the_ends_bound_a_node_that_is_late_each_time(seed):
    times = np.linspace(0, 0.3, 1032)
    found = clocks(met(times, (0, 1), noise_s=0.0, late_s=2e-4, seed=seed), 2)
    base, other = (0, 1) if not found[0].offsets_s.any() else (1, 0)
    own = by_clock(other, times)
    assert found[other].error_at(own).max() < 2e-5
    off = np.abs(common(found[other], own) - by_clock(base, times))
    assert (off <= found[other].error_at(own) + 1e-7).all()


def test_a_run_that_meets_at_its_ends_alone_has_clocks_between():
    times = np.concatenate([np.arange(16) * 1e-4, 30 + np.arange(16) * 1e-4])
    found = clocks(met(times, noise_s=0.0), 3)
    between = by_clock(1, np.array([15.0]))
    base = next(node for node in range(3) if not found[node].offsets_s.any())
    assert common(found[1], between) == pytest.approx(by_clock(base, np.array([15.0])), abs=1e-5)


def test_a_run_without_an_end_says_what_drift_may_do():
    found = clocks(met(np.arange(16) * 1e-4, noise_s=0.0), 3)
    later = by_clock(1, np.array([10.0]))
    base = next(node for node in range(3) if not found[node].offsets_s.any())
    off = np.abs(common(found[1], later) - by_clock(base, np.array([10.0])))
    assert off <= found[1].error_at(later) and found[1].error_at(later) > 1e-4


def test_nodes_meet_by_way_of_others_or_not_at_all():
    first, second = met(np.linspace(0, 1, 100), (0, 1)), met(np.linspace(0, 1, 100), (1, 2))
    both = Meetings(
        np.concatenate([first.meeting, second.meeting + 100]),
        *(np.concatenate(each) for each in zip(first[1:], second[1:], strict=True)),
    )
    found = clocks(both, 4)
    assert found[3] is None and np.isnan(common(found[3], np.zeros(2))).all()
    base = next(node for node in range(3) if not found[node].offsets_s.any())
    half = np.array([0.5])
    for node in range(3):
        off = np.abs(common(found[node], by_clock(node, half)) - by_clock(base, half))
        assert off <= found[node].error_at(by_clock(node, half)) + 1e-7
