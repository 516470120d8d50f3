"""What is usual for a class of machines: published figures beside what has no comparison."""

import msgspec
import pytest
from example_run import example_analysis, example_run

from leadline.analysis.verdict import verdict_of
from leadline.analysis.verdict.classes import classes, usual_of

replace = msgspec.structs.replace

INFINIBAND = [{"device": "mlx5_0", "state": "4: ACTIVE", "link_layer": "InfiniBand"}]
GIGABIT = [{"name": "eth0", "state": "up", "speed_bit_per_s": 1e9}]


@pytest.fixture(scope="module")
def run():
    return example_run()


@pytest.fixture(scope="module")
def point(run):
    first = example_analysis().points[0]
    return replace(first, bytes=8, axes={"bytes": 8}, oversubscribed=False)


def networked(run, **machine):
    return replace(run, plan=replace(run.plan, hosts=("a", "b")), machine=machine)


def title(found):
    return found.text if found else None


def test_every_class_has_sources_for_two_figures_or_more():
    assert {each.title for each in classes()} >= {"inside a node", "over InfiniBand"}
    for figure in (figure for each in classes() for figure in each.figures):
        assert len(figure.published) >= 2
        assert all(one.seconds > 0 and len(one.source) > 10 for one in figure.published)


def test_two_processes_of_a_node_have_their_range_and_its_sources(run, point):
    found = usual_of(run, point, 1e6)
    assert (found.text, found.low, found.high) == ("inside a node", 0.26, pytest.approx(0.64))
    assert any("libfabric issue 6480" in source for source in found.sources)


def test_a_class_is_told_by_the_links_that_are_surely_used(run, point):
    between = replace(point, nodes=2, processes_per_node=1)
    assert usual_of(run, between, 1e6) is None
    assert title(usual_of(networked(run, infiniband_devices=INFINIBAND), between, 1e6)) == (
        "over InfiniBand"
    )
    assert usual_of(networked(run, network_interfaces=GIGABIT), between, 1e6) is None
    both = networked(run, network_interfaces=GIGABIT, infiniband_devices=INFINIBAND)
    assert title(usual_of(both, between, 1e6)) == "over InfiniBand"


@pytest.mark.parametrize(
    "changes",
    [{"bytes": 16}, {"processes": 4}, {"oversubscribed": True}, {"benchmark": "mpi/bcast"}],
)
def test_other_figures_have_no_range(run, point, changes):
    assert usual_of(run, replace(point, **changes), 1e6) is None


def test_nothing_is_usual_on_a_virtual_cluster(run, point):
    assert usual_of(replace(run, machine={"virtual_cluster": {}}), point, 1e6) is not None
    virtual = replace(run, machine={"virtual_cluster": {"hosts": [1]}})
    assert usual_of(virtual, point, 1e6) is None


def test_the_largest_gap_is_to_the_faster_mpi_or_the_range(run, point):
    analysis = replace(example_analysis(), findings=())
    alone = replace(analysis, points=(point,))
    (headline,) = verdict_of(run, alone).headlines
    assert headline.usual.text == "inside a node" and (headline.gap, headline.ahead) == (1.0, "")
    slower = replace(point, mpi="aaa", median_s=9e-6, ci95_low_s=8e-6, ci95_high_s=1e-5)
    (behind,) = verdict_of(run, replace(analysis, points=(slower, point))).headlines
    # 9 us is farther from 0.36 us of the other MPI than from 0.64 us.
    assert behind.ahead == point.mpi and behind.usual.text == "inside a node"
    (far,) = verdict_of(run, replace(analysis, points=(slower,))).headlines
    assert far.ahead == "usual inside a node" and far.gap == pytest.approx(9 / 0.64)
