"""One node against its past: found where it is slower, not where it is as it was."""

import numpy as np
import pytest

from leadline.analysis.screen.figures import NODE_FIGURES, node_looks, pair_looks
from leadline.analysis.screen.history import (
    FEWEST_PAST,
    LEVEL,
    node_levels,
    pair_levels,
    slower_than_past,
)

FIGURES = [figure.name for figure in NODE_FIGURES]
USUAL = dict(zip(FIGURES, (3e-3, 1e-3, 2e-2, 5e-5), strict=True))


def _levels(random, scatter=0.01, **slower):
    return {
        name: seconds * slower.get(name, 1.0) * float(np.exp(random.normal(0, scatter)))
        for name, seconds in USUAL.items()
    }


@pytest.mark.parametrize("count", [FEWEST_PAST, 12, 50])
def test_a_healthy_node_is_hardly_ever_accused(count):
    random = np.random.default_rng(7)
    trials = 1000
    false = 0
    for _ in range(trials):
        past = [_levels(random) for _ in range(count)]
        false += slower_than_past(_levels(random), past, tolerance=0.0) is not None
    assert false <= LEVEL * trials + 3 * (LEVEL * trials) ** 0.5


def test_memory_that_got_slower_is_named_with_its_factor():
    random = np.random.default_rng(3)
    past = [_levels(random) for _ in range(20)]
    found = slower_than_past(_levels(random, memory=1.25), past, tolerance=0.05)
    assert found is not None
    assert found.figure == "memory"
    assert found.ratios["memory"] == pytest.approx(1.25, rel=0.05)
    assert found.ratios["copies"] == pytest.approx(1.0, rel=0.05)
    assert found.probability > 0.99


def test_what_is_slower_by_less_than_the_tolerance_is_left_alone():
    random = np.random.default_rng(3)
    past = [_levels(random, scatter=1e-4) for _ in range(20)]
    now = _levels(random, scatter=1e-4, memory=1.04)
    assert slower_than_past(now, past, tolerance=0.05) is None
    assert slower_than_past(now, past, tolerance=0.02) is not None


def test_too_short_a_past_tells_nothing():
    random = np.random.default_rng(3)
    past = [_levels(random) for _ in range(FEWEST_PAST - 1)]
    assert slower_than_past(_levels(random, memory=9.0), past, tolerance=0.05) is None
    assert slower_than_past({}, past * 5, tolerance=0.05) is None


def test_a_past_that_scatters_accuses_nobody_for_it():
    random = np.random.default_rng(3)
    past = [_levels(random, scatter=0.3) for _ in range(12)]
    assert slower_than_past(_levels(random, memory=1.25, scatter=0.0), past, tolerance=0.05) is None


def test_levels_leave_out_a_short_disturbance_and_ranks_without_samples():
    seconds = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 8.0] * 2)
    columns = {
        "seconds": seconds,
        "flags": np.zeros(12, dtype=np.int64),
        "rank": np.repeat([0, 2], 6),
    }
    seen = node_looks(NODE_FIGURES, {"memory": columns}, 3, 0)
    assert node_levels(seen, ("a", "b", "c")) == {"a": {"memory": 1.0}, "c": {"memory": 1.0}}
    assert node_levels(node_looks(NODE_FIGURES, {}, 1, 0), ()) == {}


def test_the_level_of_a_nodes_pairs_does_not_depend_on_its_partners():
    rounds = [((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))]
    slow = {1: 2.0}
    measured = {}
    for turn, matching in enumerate(rounds):
        pairs = np.array(matching)
        factor = np.array([max(slow.get(a, 1.0), slow.get(b, 1.0)) for a, b in matching])
        measured[turn, "latency"] = {
            "rank": pairs[:, 0],
            "peer": pairs[:, 1],
            "seconds": 1e-6 * (1 + turn) * factor,
            "flags": np.zeros(len(pairs), dtype=np.int64),
        }
    seen = pair_looks(["latency"], measured, None, 0)
    found = pair_levels(seen, ("a", "b", "c", "d", "idle"))
    assert set(found) == {"a", "b", "c", "d"}
    assert found["b"]["latency"] / found["a"]["latency"] == pytest.approx(2.0)
    assert found["a"] == found["c"] == found["d"]
