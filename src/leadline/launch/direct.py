"""What the launchers of resource managers share: they know nodes and cores by themselves."""

from contextlib import suppress

from leadline.knobs.knob import Unsupported
from leadline.knobs.known import wait_mode
from leadline.launch.launchers import oshrun
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.placement.order import node_of_each, round_robin


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
    return [job.hosts[node] for node in node_of_each(job.ranks_by_node)]


def is_round_robin(job: Job) -> bool:
    """Tell whether the ranks are dealt to the nodes one by one."""
    return job.placement.nodes > 1 and job.ranks_by_node == round_robin(job.placement)
