"""The judge: what is slow is named, with its kind; what is not is left alone."""

import random

import numpy as np
import pytest
from comparison.screening_cluster import (
    Cluster,
    Fault,
    slow_latency,
    slow_link,
    slow_processor,
    slow_rate,
    slow_uplink,
)

from leadline.analysis.screen.judge import candidates, farthest, judge
from leadline.analysis.screen.matchings import first_rounds, later_rounds
from leadline.analysis.screen.observations import joined, residuals

NODES = 16


def _screened(faults, *, nodes=NODES, switches=None, all_pairs=False, seed=1):
    cluster = Cluster(nodes, np.random.default_rng(seed), faults, switches)
    chance = random.Random(seed)
    rounds = first_rounds(nodes, switches, chance, all_pairs=all_pairs)
    seen = cluster.measure(rounds)
    later = later_rounds(seen, nodes, switches, chance)
    return joined([seen, cluster.measure(later, len(rounds))])


def _named(found):
    return [(each.kind, each.names) for each in found]


@pytest.mark.parametrize("fault", [slow_rate, slow_latency, slow_processor])
def test_a_slow_node_is_named(fault):
    (found,) = judge(_screened([fault(5)]))
    assert (found.kind, found.names) == ("node", (5,))
    assert found.probability > 0.9
    assert found.ratio > 1.05


def test_the_ratio_is_that_of_the_fault():
    (found,) = judge(_screened([Fault("node", (3,), (1.0, 2.0, 2.0, 1.0))]))
    assert found.figure in ("bandwidth", "both ways")
    assert found.ratio == pytest.approx(2.0, rel=0.05)
    assert found.ratios["latency"] == pytest.approx(1.0, abs=0.06)
    assert all(
        each[found.figure] == pytest.approx(2.0, rel=0.2) for each in found.by_round.values()
    )
    assert len(found.by_round) == found.looks, "one look a round"


@pytest.mark.parametrize("seed", range(1, 6))
def test_nothing_is_accused_in_a_healthy_cluster(seed):
    assert judge(_screened([], seed=seed)) == []


def test_a_link_is_no_node():
    found = judge(_screened([slow_link(2, 9)], all_pairs=True))
    assert _named(found) == [("link", (2, 9))]


def test_a_link_that_was_never_measured_is_not_found():
    seen = _screened([], nodes=32)
    met = set(zip(seen.first.tolist(), seen.second.tolist(), strict=True))
    unmet = next((0, node) for node in range(1, 32) if (0, node) not in met)
    assert judge(_screened([slow_link(*unmet)], nodes=32)) == []


def test_an_uplink_is_none_of_its_nodes():
    switches = [f"s{node // 4}" for node in range(NODES)]
    found = judge(_screened([slow_uplink("s2")], switches=switches), switches)
    assert _named(found) == [("uplink", "s2")]
    assert found[0].ratio == pytest.approx(2.0, rel=0.1)


def test_two_slow_nodes_are_both_named():
    found = judge(_screened([slow_rate(1), slow_latency(8)], nodes=32))
    assert set(_named(found)) == {("node", (1,)), ("node", (8,))}


def test_a_node_that_is_slow_by_itself_is_named():
    cluster = Cluster(NODES, np.random.default_rng(2), [slow_processor(11)])
    (found,) = judge(cluster.measure_nodes())
    assert (found.kind, found.names) == ("node", (11,))


def test_what_is_within_the_tolerance_is_no_matter():
    seen = _screened([Fault("node", (4,), (1.0, 1.2, 1.2, 1.0))])
    assert _named(judge(seen)) == [("node", (4,))]
    assert judge(seen, tolerance=0.3) == []


def test_candidates_come_before_any_proof():
    cluster = Cluster(NODES, np.random.default_rng(1), [slow_rate(6)])
    seen = cluster.measure(first_rounds(NODES, None, random.Random(1)))
    assert ("node", (6,)) in _named(candidates(seen))


def test_no_looks_and_missing_figures_accuse_nobody():
    seen = _screened([])
    assert judge(seen.only(np.zeros(len(seen.round), dtype=bool))) == []
    assert judge(seen._replace(slowness=np.full_like(seen.slowness, np.nan))) == []


def test_a_round_that_is_slow_as_a_whole_accuses_nobody():
    seen = _screened([])
    slowness = seen.slowness + np.log(3.0) * (seen.round == 2)
    assert np.allclose(
        residuals(seen._replace(slowness=slowness)).excess, residuals(seen).excess, atol=0.05
    )
    assert judge(seen._replace(slowness=slowness)) == []


def test_few_nodes_must_stand_out_farther():
    assert farthest(6, 4) > farthest(64, 4) > 3
