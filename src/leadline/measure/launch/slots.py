"""Whether a job fits: nodes for its placement, a core for each process."""

import re

from leadline.core.errors import UserError
from leadline.core.processes import own_cores
from leadline.core.units import count
from leadline.model.job import Job


def available_cores() -> int:
    """Return how many physical cores this process may use, hardware threads not counted twice."""
    return len(own_cores())


def exceeds_cores(job: Job, cores: int) -> bool:
    """Tell whether `job` has more processes than cores; `cores` counts this machine's.

    With `hosts` only as far as their cores are known; elsewhere the user's word counts. Never so
    for the `fake` API, whose ranks are threads that mostly sleep, and in simulation.
    """
    if job.api == "fake" or job.simulation:
        return False
    if job.elsewhere:
        return job.oversubscribe
    if not job.nodes:
        return job.placement.processes > cores
    return (
        0 < job.hosts.shared_cores < job.placement.processes or _find_crowded_host(job) is not None
    )


def _find_crowded_host(job: Job) -> tuple[str, int] | None:
    """Return the first host of the placement with fewer cores than ranks, and its cores."""
    used = zip(job.nodes, job.hosts.cores, strict=False)
    few = ((host, own) for host, own in used if own < job.placement.processes_per_node)
    return next(few, None)


def check_slots(job: Job, cores: int) -> None:
    """Raise `UserError` where `job` has no place to run; `cores` counts this machine's."""
    if job.api == "fake" or job.simulation:
        return
    placement, names = job.placement, job.hosts.names
    if placement.nodes > 1 and not job.nodes and not job.elsewhere:
        raise UserError(
            f"placement {placement} wants {placement.nodes} nodes and this machine is one node: "
            "name others with --hosts A,B,... or place all processes inside it, such as "
            f"1x{placement.processes}"
        )
    for host in names:
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", host):
            raise UserError(f"host {host!r} is not a name or IPv4 address: write --hosts A,B,...")
        if names.count(host) > 1:
            raise UserError(f"host {host!r} is named twice: give each of --hosts once")
    if names and len(names) < placement.nodes:
        raise UserError(
            f"placement {placement} wants {placement.nodes} nodes and --hosts names "
            f"{len(names)} ({', '.join(names)}): name more hosts or take fewer nodes"
        )
    if (crowded := _find_crowded_host(job)) and not job.oversubscribe:
        host, few = crowded
        raise UserError(
            f"placement {placement} wants {placement.processes_per_node} processes on a node, and "
            f"host {host} has {count(few, 'core')}: take fewer processes or other hosts, or add "
            "--oversubscribe to measure anyway; every figure is then marked"
        )
    if not job.nodes and exceeds_cores(job, cores) and not job.oversubscribe:
        raise UserError(
            f"placement {placement} wants {placement.processes} processes on "
            f"{count(cores, 'core')}: add --oversubscribe to measure anyway; every figure is then "
            "marked"
        )
