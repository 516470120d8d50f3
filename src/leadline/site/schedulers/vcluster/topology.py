"""The virtual cluster of `leadline virtual-cluster`: hosts, one or two switches, their links."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress

from leadline.core.errors import UserError
from leadline.model.jobs import Node
from leadline.site.schedulers.topology import Interconnect, TopologyProvider, build_switched
from leadline.site.vcluster import control
from leadline.site.vcluster.cluster import Cluster


def _interconnect(system: str, nodes: Sequence[Node]) -> Interconnect | None:
    """Return the cluster whose hosts are the last nodes, after the machine it is on.

    Whoever reports them as nodes. Clusters may have hosts of the same names: None where they join
    them differently.
    """
    names = [node.name for node in nodes]
    known = [leaves for cluster in _clusters() if (leaves := _leaves(cluster, names)) is not None]
    if not known or any(other != known[0] for other in known):
        return None
    apart = names[: len(nodes) - sum(map(len, known[0].values()))]
    return build_switched("virtual cluster", "switches", known[0], apart=apart, backbone=True)


def _clusters() -> Iterator[Cluster]:
    for name in control.names():
        with suppress(UserError):  # it may go down just now
            yield control.find(name)


def _leaves(cluster: Cluster, names: Sequence[str]) -> dict[str, list[str]] | None:
    """Return the last of the names below their switches; None where they are not all of it."""
    switch = {host.name: host.switch for host in cluster.hosts}
    hosts = list(itertools.dropwhile(lambda name: name not in switch, names))
    if not hosts or any(name not in switch for name in hosts):
        return None
    leaves: dict[str, list[str]] = {}
    for name in hosts:
        leaves.setdefault(f"switch {switch[name]}", []).append(name)
    return leaves if [name for below in leaves.values() for name in below] == hosts else None


PROVIDER = TopologyProvider(10, _interconnect)
