"""What the launchers of Open MPI share, whatever their version."""

from leadline.core.failures import Failure
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.topology.rank_order.order import node_of_each

# mpiexec refuses root without both; anybody else is not affected. Containers are often root.
_ALLOW_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

FAILURES = (
    Failure(
        r"There are not enough slots available in the system to satisfy the \d+ slots",
        "take fewer processes, or add --oversubscribe to measure anyway",
    ),
    Failure(
        r"A request was made to bind (to )?that would (result in binding more processes than cpus"
        r" on a resource|require binding processes to more cpus than are available)",
        "take fewer processes, or measure without binding (--no-bind)",
    ),
    Failure(
        r"unable to launch the specified application as it could not (find|access)"
        r".*? Executable: \S+",
        "the program is missing or may not be executed on that host",
    ),
    Failure(
        r"\S+ has detected an attempt to run as root",
        "run as another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
    ),
    Failure(
        r"MPI_ABORT was invoked on rank \d+",
        "the program gave up; its own words are in stderr.txt",
    ),
    Failure(
        r"process rank \d+ with PID \d+ on node \S+ exited on signal 9 \(Killed\)",
        "somebody killed it, or the kernel did for want of memory (see `dmesg`)",
    ),
    Failure(
        r"process rank \d+ with PID \d+ on node \S+ exited on signal 7 \(Bus error\)",
        "/dev/shm may be full (see `df /dev/shm`)",
    ),
    Failure(
        r"process rank \d+ with PID \d+ on node \S+ exited on signal \d+ \([^)]*\)",
        "the program crashed; what it printed last is in stderr.txt",
    ),
    Failure(
        r"(ORTE was unable to reliably start one or more daemons"
        r"|A daemon failed to report back after being spawned"
        r"|An ORTE daemon has unexpectedly failed)",
        "check that `ssh HOST true` works without a password for each of --hosts, and that this "
        "Open MPI is installed in the same place there",
    ),
    Failure(
        r"lost communication with a remote daemon(?=.*? on node \S+)",
        "that host has failed, or its link is cut",
    ),
    Failure(
        r"(Process name: \S+ )?Exit code: \d+",
        "the program ended by itself with that status; its own words are in stderr.txt",
    ),
)


def start(
    executable: str | None, job: Job, installation: Installation, options: tuple[str, ...]
) -> Start:
    """Return the start of `job` by `executable` with `options` of its version.

    On this machine alone, TCP is kept to the loopback interface: within a node it never carries
    messages (shared memory comes first), and left alone it sets up sockets on every real
    interface. With hosts, name the interface in OMPI_MCA_btl_tcp_if_include where there are
    several and their source does not know it.
    """
    ucx = {"UCX_NET_DEVICES": job.interface} if job.interface else {}
    named = {**ucx, **job.environment}
    variables = [word for item in named.items() for word in ("-x", "=".join(item))]
    return Start(
        argv=(
            executable or "mpiexec",
            *_hosts(job),
            *options,
            *variables,
            "-np",
            str(job.placement.processes),
            *job.program,
        ),
        environment={**installation.environment, **_ALLOW_ROOT},
    )


def is_sequential(job: Job) -> bool:
    """Tell whether the hosts are named once a rank, for the mapper `seq`, which takes any order."""
    return bool(job.hosts and job.ranks_by_node)


def _hosts(job: Job) -> tuple[str, ...]:
    if not job.hosts:
        return ("--mca", "btl_tcp_if_include", "lo")
    slots = job.placement.processes_per_node
    if is_sequential(job):
        hosts = ",".join(job.hosts[node] for node in node_of_each(job.ranks_by_node))
    else:
        hosts = ",".join(f"{host}:{slots}" for host in job.hosts[: job.placement.nodes])
    network = ("--mca", "btl_tcp_if_include", job.interface)
    # The tag by which left-over ranks are found does not travel by itself.
    return ("--host", hosts, "-x", "LEADLINE_TAG", *(network if job.interface else ()))


def major(installation: Installation) -> int:
    """Return the first number of the version, or 0 where it has none."""
    first = installation.version.partition(".")[0]
    return int(first) if first.isdigit() else 0
