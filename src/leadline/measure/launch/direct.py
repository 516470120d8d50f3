"""What the launchers of resource managers share: they know nodes and cores by themselves."""

from contextlib import suppress

from leadline.measure.knobs.knob import Unsupported
from leadline.measure.knobs.known import wait_mode
from leadline.measure.launch.launchers import oshrun
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.topology.rank_order.order import cycle, node_of_each


def serves(installation: Installation, job: Job) -> bool:
    """Tell whether the job's program is one of message passing or SHMEM, of a real library."""
    if installation.family in ("fake", "simgrid"):
        return False
    return job.api == "mpi" or (job.api == "shmem" and installation.oshcc is not None)


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
        **(oshrun.variables(installation) if job.api == "shmem" else {}),
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
            "this order of ranks needs the names of hosts: inside a job give --hosts slurm, or the "
            "name of another scheduler"
        )
    return [job.hosts[node] for node in node_of_each(job.ranks_by_node)]


def dealt_by(job: Job) -> int:
    """Return how many ranks each node takes in turn, from the first node to the last and again.

    0 where the order of ranks is not of that kind.
    """
    in_turn = cycle(job.ranks_by_node)
    first_to_last = list(range(job.placement.nodes))
    return in_turn[1] if in_turn and in_turn[0] == first_to_last else 0
