"""What the launchers of resource managers share: they know nodes and cores by themselves."""

from contextlib import suppress

from leadline.knobs.knob import Unsupported
from leadline.knobs.known import wait_mode
from leadline.launch.launchers import oshrun
from leadline.model.installation import Installation
from leadline.model.job import Job


def serves(installation: Installation, job: Job) -> bool:
    """Tell whether the job's program is one of message passing or SHMEM, of a real library."""
    if installation.family in ("fake", "simgrid"):
        return False
    return job.transport == "mpi" or (job.transport == "shmem" and installation.oshcc is not None)


def environment(job: Job, installation: Installation) -> dict[str, str]:
    """Return the variables that the ranks inherit; the job's own win.

    Ranks that share cores yield where leadline knows how to ask for that.
    """
    yielding: dict[str, str] = {}
    if job.oversubscribe:
        with suppress(Unsupported):
            yielding = wait_mode.KNOB.apply("yield", job, installation).environment
    network = ("UCX_NET_DEVICES", "FI_TCP_IFACE", "OMPI_MCA_btl_tcp_if_include")
    return {
        **installation.environment,
        **(oshrun.variables(installation) if job.transport == "shmem" else {}),
        **(dict.fromkeys(network, job.interface) if job.interface else {}),
        **yielding,
        **job.environment,
    }


def hosts_by_rank(job: Job) -> list[str]:
    """Return the host of each rank, in the order of ranks.

    Raises `Unsupported` where the hosts are not known.
    """
    if not job.hosts:
        raise Unsupported(
            "this order of ranks needs the names of hosts: inside a job give --hosts slurm or "
            "--hosts pbs"
        )
    pairs = [
        (rank, host)
        for host, ranks in zip(job.hosts, job.ranks_by_node, strict=False)
        for rank in ranks
    ]
    return [host for _, host in sorted(pairs)]


def is_round_robin(job: Job) -> bool:
    """Tell whether the ranks are dealt to the nodes one by one."""
    nodes, processes = job.placement.nodes, job.placement.processes
    dealt = tuple(tuple(range(node, processes, nodes)) for node in range(nodes))
    return nodes > 1 and job.ranks_by_node == dealt
