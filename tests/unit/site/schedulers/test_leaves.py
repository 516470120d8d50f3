"""The leaf switch of each node, from what Slurm and graphs say."""

from leadline.model.jobs import Node
from leadline.site.schedulers.leaves import leaves_of
from leadline.site.schedulers.slurm.topology import tree
from leadline.site.schedulers.topology import build_switched

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
