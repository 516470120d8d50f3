"""Slurm's own knowledge: the switches of its plugin topology/tree."""

from __future__ import annotations

import re
from collections.abc import Sequence

from leadline.model.jobs import Node
from leadline.site.schedulers.job_source import ask_all
from leadline.site.schedulers.topology import (
    Interconnect,
    TopologyProvider,
    build_switched,
    reordered,
)

_TOPOLOGY = ("scontrol", "show", "topology")


def _interconnect(system: str, nodes: Sequence[Node]) -> Interconnect | None:
    """Return the nodes below their switches, where Slurm names a switch for each.

    `scontrol show topology` says nothing where no topology is configured.
    """
    return tree(ask_all(list(_TOPOLOGY)).output, nodes) if system == "slurm" else None


def tree(text: str, nodes: Sequence[Node]) -> Interconnect | None:
    """Return the tree in the lines of `scontrol show topology`.

    Only its leaf switches and those at the top are drawn, in the order in which Slurm lists them;
    nodes without a switch stand apart. None where no node has one.

    Lines are such as `SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-3]`, and with `Switches=s[0-1]`
    for switches above others (scontrol(1), topology.conf(5)).
    """
    leaves: dict[str, list[str]] = {}
    level: dict[str, int] = {}
    for line in text.splitlines():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if "SwitchName" in words:
            level[words["SwitchName"]] = int(words.get("Level") or 0)
            if words.get("Level") == "0":
                leaves[words["SwitchName"]] = expand_names(words.get("Nodes", ""))
    here = [node.name for node in nodes]
    kept = {switch: [name for name in below if name in here] for switch, below in leaves.items()}
    kept = {switch: below for switch, below in kept.items() if below}
    if not kept:
        return None
    named = {node for below in kept.values() for node in below}
    apart = [name for name in here if name not in named]
    top = max(level.values())
    tops = [switch for switch, at in level.items() if at == top and top > 0]
    return reordered(build_switched("slurm", "switches", kept, tops, apart), here)


def expand_names(text: str) -> list[str]:
    """Return the names that a list of Slurm's means.

    >>> expand_names("a,n[01-03,7],b")
    ['a', 'n01', 'n02', 'n03', 'n7', 'b']
    """
    names = []
    for name, inside, rest in re.findall(r"([^,\[]+)(?:\[([^\]]*)\]([^,]*))?", text):
        if not inside:
            names.append(name)
            continue
        for part in inside.split(","):
            first, _, last = part.partition("-")
            for number in range(int(first), int(last or first) + 1):
                names.append(f"{name}{number:0{len(first)}d}{rest}")
    return names


PROVIDER = TopologyProvider(20, _interconnect)
