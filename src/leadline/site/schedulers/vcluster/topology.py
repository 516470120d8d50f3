"""The virtual cluster of `leadline virtual-cluster`: hosts, one or two switches, their links."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from leadline.core.errors import UserError
from leadline.model.jobs import Node
from leadline.site.schedulers.topology import Interconnect, build_switched
from leadline.site.vcluster import control


class Lab:
    """Knows the hosts of a virtual cluster that is up, whoever reports them as nodes."""

    order = 10

    def interconnect(self, system: str, nodes: Sequence[Node]) -> Interconnect | None:
        """Return the cluster where its hosts are the last nodes, after the machine it is on."""
        try:
            cluster = control.find()
        except UserError:
            return None
        switch = {host.name: host.switch for host in cluster.hosts}
        apart = list(itertools.takewhile(lambda name: name not in switch, _names(nodes)))
        hosts = _names(nodes)[len(apart) :]
        if not hosts or any(name not in switch for name in hosts):
            return None
        leaves: dict[str, list[str]] = {}
        for name in hosts:
            leaves.setdefault(f"switch {switch[name]}", []).append(name)
        if [name for below in leaves.values() for name in below] != hosts:
            return None
        return build_switched("virtual cluster", "switches", leaves, apart=apart, backbone=True)


def _names(nodes: Sequence[Node]) -> list[str]:
    return [node.name for node in nodes]


PROVIDER = Lab()
