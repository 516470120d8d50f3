"""The wording of the causes of jitter in findings."""

from collections import defaultdict
from collections.abc import Iterable

from leadline.analysis.findings.evidence import Evidence
from leadline.model.summary import Jitter

# What a share of the excess time goes back to.
CAUSE = {
    "preempted": "another process that took the core",
    "hypervisor": "the hypervisor, which took the core",
    "page_faults": "page faults, memory that was not yet there",
    "migrated": "moves to another core",
    "late_neighbour": "ranks that were late by themselves, for nothing that the kernel counts",
    "machine_noise": "noise that the machine has without any communication",
    "network": "nothing of the ranks' own: the network or the library",
}

# What had happened to a rank that another one waited for.
HELD_UP = {
    "preempted": "which had lost its core to another process",
    "hypervisor": "which had lost its core to the hypervisor",
    "page_faults": "which had page faults",
    "migrated": "which had moved to another core",
    "late_neighbour": "which was late by itself",
    "machine_noise": "which the noise of its machine had held up",
    "network": "which the network had held up",
}


def groups(evidence: Evidence, jitter: Iterable[Jitter]) -> Iterable[list[Jitter]]:
    """Return those of one MPI together; of one benchmark too where its tasks exchange with named
    neighbours, so that a survey of many collectives does not say the same of each.
    """
    found: dict[tuple[str, str], list[Jitter]] = defaultdict(list)
    for one in jitter:
        point = evidence.points[one.point]
        found[point.mpi, point.benchmark if one.predictions else ""].append(one)
    return found.values()
