"""Nodes that are alike, counted."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from leadline.model.jobs import Node, NodeKind


def kinds(nodes: Iterable[Node]) -> tuple[NodeKind, ...]:
    """Return the kinds of the nodes, in the order in which their first nodes come."""
    groups: dict[Any, list[Node]] = defaultdict(list)
    for node in nodes:
        size = (node.sockets, node.cores, node.threads_per_core, node.memory_bytes)
        words = (frozenset(node.queues), frozenset(node.features), node.architecture)
        groups[(words, size)].append(node)
    return tuple(_kind(alike) for alike in groups.values())


def _kind(nodes: Sequence[Node]) -> NodeKind:
    first = nodes[0]
    in_use = [node.cores_in_use for node in nodes if node.cores_in_use is not None]
    loads = [node.load for node in nodes if node.load is not None]
    phases = [node.phase for node in nodes]
    return NodeKind(
        queues=first.queues,
        features=first.features,
        architecture=first.architecture,
        sockets=first.sockets,
        cores=first.cores,
        threads_per_core=first.threads_per_core,
        memory_bytes=first.memory_bytes,
        clock_hz=next((node.clock_hz for node in nodes if node.clock_hz), None),
        nodes=len(nodes),
        idle=phases.count("idle"),
        in_use=phases.count("mixed") + phases.count("allocated"),
        drained=phases.count("drained"),
        down=phases.count("down"),
        cores_in_use=sum(in_use) if in_use else None,
        load=round(sum(loads) / len(loads), 2) if loads else None,
    )
