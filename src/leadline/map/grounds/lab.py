"""The virtual cluster of `leadline lab`: hosts, one or two switches, their links."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.errors import UserError
from leadline.lab import control
from leadline.map.ground import Ground, switched
from leadline.model.jobs import Node


class Lab:
    """Knows the hosts of a virtual cluster that is up, whoever reports them as nodes."""

    order = 10

    def ground(self, system: str, nodes: Sequence[Node]) -> Ground | None:
        """Return the cluster, where the nodes are hosts of it."""
        try:
            cluster = control.find()
        except UserError:
            return None
        switch = {host.name: host.switch for host in cluster.hosts}
        if not nodes or any(node.name not in switch for node in nodes):
            return None
        leaves: dict[str, list[str]] = {}
        ordered = sorted(nodes, key=lambda node: switch[node.name])
        if [node.name for node in ordered] != [node.name for node in nodes]:
            return None
        for node in ordered:
            leaves.setdefault(f"switch {switch[node.name]}", []).append(node.name)
        tops = ("backbone",) if len(leaves) > 1 else ()
        return switched("virtual cluster", "switches", leaves, tops)


GROUND = Lab()
