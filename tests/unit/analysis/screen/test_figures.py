"""Samples become looks: one of each pair in each round, several of each node."""

import numpy as np
import pytest

from leadline.analysis.screen.figures import (
    NODE_FIGURES,
    STRETCHES,
    node_looks,
    pair_figures,
    pair_looks,
)


def _columns(rows):
    rank, peer, seconds, flags = (np.array(each) for each in zip(*rows, strict=True))
    return {"rank": rank, "peer": peer, "seconds": seconds.astype(float), "flags": flags}


def test_a_look_is_the_lower_quartile_of_a_pair_in_a_round():
    measured = {
        (0, "latency"): _columns(
            [(0, 3, each, 0) for each in (9.0, 2.0, 2.0, 9.0, 8.0)]
            + [(2, 1, 4.0, 0), (0, 3, 1.0, 2)]
        ),
        (0, "bandwidth"): _columns([(3, 0, 8.0, 0)]),
        (1, "latency"): _columns([(0, 1, 5.0, 0), (2, -1, 5.0, 0)]),
    }
    seen = pair_looks(["latency", "bandwidth"], measured, ["a", "a", "b", "b"], excluding=2)
    looks = list(zip(seen.round.tolist(), seen.first.tolist(), seen.second.tolist(), strict=True))
    assert looks == [(0, 0, 3), (0, 1, 2), (1, 0, 1)]
    assert seen.group.tolist() == [1, 1, 0]
    assert np.exp(seen.slowness[0]) == pytest.approx([2.0, 4.0, 5.0])
    assert np.exp(seen.slowness[1, 0]) == pytest.approx(8.0)
    assert np.isnan(seen.slowness[1, 1:]).all()


def test_nothing_measured_is_no_look():
    seen = pair_looks(["latency"], {}, None, excluding=0)
    assert seen.slowness.shape == (1, 0)


def test_a_node_is_looked_at_in_stretches():
    rows = [(rank, -1, 1.0 + rank + 0.01 * i, 0) for i in range(24) for rank in range(3)]
    seen = node_looks(NODE_FIGURES, {"memory": _columns(rows)}, 3, excluding=0)
    assert len(seen.round) == 3 * STRETCHES
    assert (seen.first == seen.second).all()
    memory = np.exp(seen.slowness[0]).reshape(STRETCHES, 3)
    assert memory[0] == pytest.approx([1.015, 2.015, 3.015])
    assert memory[-1] == pytest.approx([1.215, 2.215, 3.215])
    assert np.isnan(seen.slowness[1:]).all()


def test_pairs_are_measured_together_and_one_at_a_time():
    loads = {figure.axes["load"] for figure in pair_figures("256K")}
    assert loads == {"all", "one"}
    assert len({figure.name for figure in pair_figures("256K")}) == 6
