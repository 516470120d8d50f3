"""Regions of a machine (partitions, queues) with their limits, and its cores by what they do."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from leadline.model.jobs import CoresByKind, Job, Limits, Node, Region

_BUSY = ("running", "ending")


def fill_regions(
    limits: Iterable[Limits],
    nodes: Sequence[Node],
    jobs: Sequence[Job],
    interactive: frozenset[str],
) -> tuple[Region, ...]:
    """Return each region with what goes on in it; nodes that name no region are of every one."""
    return tuple(
        _fill(
            each,
            [node for node in nodes if not node.queues or each.name in node.queues],
            jobs,
            interactive,
        )
        for each in limits
    )


def count_cores(
    nodes: Sequence[Node],
    jobs: Sequence[Job],
    interactive: frozenset[str],
    in_region: Callable[[Job], bool] = lambda job: True,
) -> CoresByKind:
    """Return the cores of `nodes` by kind; those of jobs not `in_region` count as others.

    The cores in use of a node belong to its jobs in proportion to what these have on each node.
    """
    on: Mapping[str, list[Job]] = _jobs_by_node(jobs)
    found: dict[str, float] = defaultdict(float)
    for node in nodes:
        cores, busy = node.cores or 0, node.cores_in_use or 0
        weights = {job.id: (job.cores or 1) / len(job.hosts) for job in on.get(node.name, ())}
        for job in on.get(node.name, ()):
            kind = "interactive" if job.id in interactive else "batch"
            share = busy * weights[job.id] / sum(weights.values())
            found[kind if in_region(job) else "others"] += share
        if not weights:
            found["others"] += busy
        found[_idle_kind(node)] += max(0, cores - busy)
    return msgspec.convert({kind: round(cores) for kind, cores in found.items()}, CoresByKind)


def _fill(
    limits: Limits, nodes: Sequence[Node], jobs: Sequence[Job], interactive: frozenset[str]
) -> Region:
    members = [job for job in jobs if limits.name in job.queue.split(",")]
    names = {job.id for job in members}
    kinds = [
        node.phase if node.phase in ("allocated", "mixed") else _idle_kind(node) for node in nodes
    ]
    return Region(
        **msgspec.structs.asdict(limits),
        nodes=len(nodes),
        idle=kinds.count("idle"),
        in_use=kinds.count("allocated") + kinds.count("mixed"),
        reserved=kinds.count("reserved"),
        drained=kinds.count("drained"),
        down=kinds.count("down"),
        cores=count_cores(nodes, jobs, interactive, lambda job: job.id in names),
        running=sum(job.phase in _BUSY for job in members),
        waiting=sum(job.phase == "waiting" for job in members),
    )


def _idle_kind(node: Node) -> str:
    if node.phase in ("down", "drained"):
        return node.phase
    return "reserved" if node.reserved else "idle"


def _jobs_by_node(jobs: Iterable[Job]) -> Mapping[str, list[Job]]:
    found: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        if job.phase in _BUSY:
            for host in job.hosts:
                found[host].append(job)
    return found
