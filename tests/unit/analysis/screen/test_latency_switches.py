"""Switches from latencies: found where they are clear, and never others."""

import random
from itertools import islice

import numpy as np
import pytest
from comparison.screening_cluster import Cluster, Noise, slow_latency, slow_uplink

from leadline.analysis.screen.judge import judge
from leadline.analysis.screen.latency_switches import _letters, switches_from_latencies
from leadline.analysis.screen.matchings import first_rounds
from leadline.analysis.screen.observations import pair_groups

NODES, LEAF = 32, 8
SWITCHES = [f"s{node // LEAF}" for node in range(NODES)]
ROUGH = Noise(look=(0.1, 0.04, 0.04, 0.1), node=0.02, pair=0.02, round=0.3, disturbed=0.05)


def _seen(faults=(), *, switches=SWITCHES, nodes=NODES, all_pairs=True, seed=1, **changes):
    cluster = Cluster(nodes, np.random.default_rng(seed), faults, switches, **changes)
    return cluster.measure(first_rounds(nodes, None, random.Random(seed), all_pairs=all_pairs))


def _agree(found, switches=SWITCHES):
    return len(set(zip(found, switches, strict=True))) == len(set(found)) == len(set(switches))


@pytest.mark.parametrize("seed", range(1, 6))
def test_switches_are_found_and_named(seed):
    found = switches_from_latencies(_seen(seed=seed), NODES)
    assert _agree(found)
    assert found[0] == "switch A (from latencies)"
    assert found[-1] == "switch D (from latencies)"


def test_switches_may_have_other_sizes_and_mixed_names():
    switches = ["x"] * 14 + ["y"] * 3 + ["z"] * 7
    random.Random(3).shuffle(switches)
    found = switches_from_latencies(_seen(switches=switches, nodes=24), 24)
    assert _agree(found, switches)


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize(
    "changes",
    [
        {"switches": None},
        {"switches": None, "noise": ROUGH},
        {"switches": None, "faults": [slow_latency(3)]},
        {"across": 1.03},
        {"noise": ROUGH},
        {"all_pairs": False},
    ],
)
def test_what_is_not_clear_is_no_structure(changes, seed):
    assert switches_from_latencies(_seen(seed=seed, **changes), NODES) is None


def test_a_close_call_is_right_or_nothing():
    results = [switches_from_latencies(_seen(seed=seed, across=1.2), NODES) for seed in range(20)]
    found = [each for each in results if each]
    assert found
    assert all(map(_agree, found))


def test_two_nodes_that_are_near_by_chance_are_no_switch():
    switches = ["x"] * 4 + ["y"] * 4
    results = [
        switches_from_latencies(_seen(switches=switches, nodes=8, seed=seed, across=1.15), 8)
        for seed in range(200)
    ]
    found = [each for each in results if each]
    assert found
    assert all(_agree(each, switches) for each in found)


def test_a_slow_uplink_is_told_from_slow_nodes_by_them():
    seen = _seen([slow_uplink("s2")])
    found = switches_from_latencies(seen, NODES)
    assert _agree(found)
    group = pair_groups(seen.first, seen.second, found)
    (suspicion,) = judge(seen._replace(group=group), found)
    assert (suspicion.kind, suspicion.names) == ("uplink", "switch C (from latencies)")


def test_too_little_tells_nothing():
    seen = _seen(nodes=4, switches=None)
    assert switches_from_latencies(seen, 4, figures=("no such figure",)) is None
    assert switches_from_latencies(seen.only(np.zeros(len(seen.round), dtype=bool)), 4) is None
    assert switches_from_latencies(_seen(nodes=3, switches=None), 3) is None


def test_letters_go_on_after_z():
    assert list(islice(_letters(), 24, 28)) == ["Y", "Z", "AA", "AB"]
