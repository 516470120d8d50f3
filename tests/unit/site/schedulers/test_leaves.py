"""The leaf switch of each node, from what Slurm, graphs and virtual clusters say."""

import msgspec
import pytest

from leadline.core import paths
from leadline.model.jobs import Node
from leadline.site.schedulers.slurm.topology import tree
from leadline.site.schedulers.topology import build_switched, leaf_switches, leaves_of
from leadline.site.vcluster.cluster import Cluster

TEXT = """SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-3]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[4-7]
SwitchName=top Level=1 LinkSpeed=1 Nodes=n[0-7] Switches=s[0-1]
"""


def _nodes(*names):
    return [Node(name=name, phase="allocated", state="") for name in names]


def test_slurm_names_the_switch_of_each_node():
    network = tree(TEXT, _nodes("n1", "n2", "n4", "n6", "n7"))
    assert leaves_of(network) == ["s0", "s0", "s1", "s1", "s1"]


def test_one_switch_tells_nothing():
    assert leaves_of(build_switched("x", "switches", {"s0": ["a", "b"]})) is None
    assert leaves_of(build_switched("x", "switches", {"s0": ["a"], "s1": ["b"]})) is None
    apart = build_switched("x", "switches", {"s0": ["a", "b"], "s1": ["c"]}, apart=["head"])
    assert leaves_of(apart) is None


@pytest.fixture
def up(tmp_path, monkeypatch):
    """Return how to describe a virtual cluster as one that is up."""
    monkeypatch.setenv("LEADLINE_LAB", str(tmp_path / "lab"))

    def describe(name, switches):
        folder = paths.lab(name)
        folder.mkdir()
        cluster = Cluster(cores=(1,) * 4, link=10**8, switches=switches)
        (folder / "cluster.json").write_bytes(msgspec.json.encode(cluster))

    return describe


def test_a_virtual_cluster_is_known_by_any_name(up):
    hosts = ("h0", "h1", "h2", "h3")
    assert leaf_switches(hosts, "") is None
    up("other", 2)
    below = ["switch 0", "switch 0", "switch 1", "switch 1"]
    assert leaf_switches(hosts, "") == below
    assert leaf_switches(("h0", "h4"), "") is None
    # Another one that joins hosts of the same names otherwise.
    up("more", 2)
    assert leaf_switches(hosts, "") == below
    up("", 1)
    assert leaf_switches(hosts, "") is None


def test_slurm_need_not_list_switches_in_the_order_of_nodes():
    text = TEXT.replace("n[0-3]", "n[0,2,4]").replace("n[4-7]", "n[1,3,5]")
    nodes = [Node(name=name, phase="idle", state="") for name in ("n0", "n1", "n2", "login", "n3")]
    network = tree(text, nodes)
    names = [vertex.name for vertex in network.graph.vertices]
    assert names == ["n0", "n1", "n2", "login", "n3", "s0", "s1", "top"]
    joined = {(names[edge.one], names[edge.other]) for edge in network.graph.edges}
    assert joined == {
        ("n0", "s0"), ("n2", "s0"), ("n1", "s1"), ("n3", "s1"), ("s0", "top"), ("s1", "top"),
    }  # fmt: skip
    assert [len(network.route(0, other)) for other in (1, 2, 3)] == [4, 2, 0]
    assert network.notes == ()
