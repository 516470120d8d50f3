"""The wording of the causes of jitter in findings."""

from collections import defaultdict
from collections.abc import Iterable

from leadline.analysis.findings.evidence import Evidence
from leadline.model.summary import Jitter

# The cause of a share of the lost time.
CAUSE = {
    "preempted": "another process took the core",
    "hypervisor": "the hypervisor took the core",
    "page_faults": "page faults",
    "migrated": "moves to another core",
    "late_neighbour": "ranks that were late for an unknown reason",
    "machine_noise": "noise of the machine",
    "network": "network or library",
}

# What had happened to a rank that another one waited for.
HELD_UP = {
    "preempted": "whose core another process took",
    "hypervisor": "whose core the hypervisor took",
    "page_faults": "which had page faults",
    "migrated": "which moved to another core",
    "late_neighbour": "which was late",
    "machine_noise": "which noise of its machine delayed",
    "network": "which the network delayed",
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
