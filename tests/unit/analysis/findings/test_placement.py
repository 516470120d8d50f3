"""Ranks that ran elsewhere than their order asked for."""

import pytest

from leadline.analysis.findings.rules.placements import placement_differs
from leadline.model.run import RankPlace


def ranks(hosts, nodes):
    return tuple(
        RankPlace(rank=rank, host=host, node=node, cpus="0", cpu=0, pid=1)
        for rank, (host, node) in enumerate(zip(hosts, nodes, strict=True))
    )


def launched(hosts="aabb", nodes=(0, 0, 1, 1), order=(), **fields):
    return {
        "processes": 4,
        "nodes": 2,
        "processes_per_node": 2,
        "ranks": ranks(hosts, nodes),
        "asked_ranks_by_node": order,
        "asked_hosts": ("a", "b"),
        **fields,
    }


ROUND_ROBIN = ((0, 2), (1, 3))


@pytest.mark.parametrize(
    "launch",
    [
        launched(),
        launched("abab", (0, 1, 0, 1), ROUND_ROBIN),
        launched(asked_hosts=()),
        # Names that hosts give themselves may be others than those by which they were named.
        launched(hosts=("x1", "x1", "x2", "x2")),
        launched(hosts=("a.site", "a.site", "b.site", "b.site")),
        launched(ranks=()),
    ],
)
def test_placement_differs_stays_silent_of_hosts_with_other_names(evidence, figure, launch):
    assert not list(placement_differs.find(evidence([figure()], launch=launch)))


@pytest.mark.parametrize(
    ("launch", "misplaced", "words"),
    [
        (launched(order=ROUND_ROBIN), 4, "rank 0 shares its node with 1 instead of 2"),
        (launched("abba", (0, 1, 1, 0)), 4, "rank 0 shares its node with 3 instead of 1"),
        # Hosts are right, but the library takes each visit of a launcher for a node.
        (launched(nodes=(0, 1, 2, 2)), 2, "rank 0 shares its node with nobody instead of 1"),
        (launched("bbaa"), 4, "rank 0 is on b instead of a"),
    ],
)
def test_what_did_not_is_a_problem(evidence, figure, launch, misplaced, words):
    knobs = {"order": "round-robin"} if launch["asked_ranks_by_node"] else {}
    (found,) = placement_differs.find(
        evidence([figure(), figure(size=16)], launch={**launch, "knobs": knobs})
    )
    assert found.severity == "problem"
    assert words in found.text
    assert f"order={knobs.get('order', 'default')} on 2x2 with first had no effect" in found.text
    assert found.evidence["misplaced_ranks"] == misplaced
    assert found.points == (0, 1)
